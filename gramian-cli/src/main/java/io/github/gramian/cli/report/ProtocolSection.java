package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import java.util.LinkedHashMap;
import java.util.Map;

/** The conditions under which the score was measured. */
final class ProtocolSection implements Section {

    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("dataset", "Data set"),
            Map.entry("contentHash", "Hash of its content"),
            Map.entry("protocol", "Protocol"),
            Map.entry("split", "Split"),
            Map.entry("counts", "Images"),
            Map.entry("resolution", "Resolution in pixels"),
            Map.entry("crops", "Crops"),
            Map.entry("backbone", "Backbone"),
            Map.entry("weightsHash", "Hash of its weights"),
            Map.entry("seed", "Seed"),
            Map.entry("hardware", "Machine"));

    @Override
    public String id() {
        return "protocol";
    }

    @Override
    public String title() {
        return "Evaluation protocol";
    }

    @Override
    public String reading() {
        return "Two scores are comparable only if these conditions are the same; the hashes change with the smallest"
                + " change of data or weights.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        Map<String, String> rows = new LinkedHashMap<>();
        run.scores().origin().protocol().forEach((field, value) -> rows.put(NAMES.getOrDefault(field, field), value));
        rows.putAll(run.scores().origin().notes());
        run.scores()
                .origin()
                .seconds()
                .forEach((step, seconds) -> rows.put("Time for " + step, Numbers.seconds(seconds)));
        if (rows.isEmpty()) {
            return;
        }
        html.raw("<table class=\"protocol\"><tbody>");
        rows.forEach((name, value) -> html.raw("<tr><th scope=\"row\">")
                .text(name)
                .raw("</th><td>")
                .text(value)
                .raw("</td></tr>"));
        html.raw("</tbody></table>");
    }
}
