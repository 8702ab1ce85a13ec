package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.LineChart;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.image.corruption.internal.Corruption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Accuracy on corrupted images: one small chart per corruption, over severities, which start with the clean images. */
final class RobustnessSection implements Section {

    private static final String FILE = "robustness.json";
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_CELLS = 500;

    /** Accuracies on corrupted images; empty if there are none, or if the file is invalid, which leaves a note. */
    static Optional<Robustness> read(RunFiles files) {
        JsonNode tree = files.object(FILE, MAX_BYTES);
        if (tree.isMissingNode()) {
            return Optional.empty();
        }
        List<Robustness.Cell> cells = new ArrayList<>();
        for (JsonNode one : tree.path("corruptions")) {
            String name = one.path("name").asText("");
            int severity = one.path("severity").asInt(0);
            JsonNode accuracy = one.path("accuracy");
            if (!name.matches("[a-z_]{1,40}")
                    || severity < 1
                    || severity > Corruption.MAX_SEVERITY
                    || !isShare(accuracy)
                    || cells.size() == MAX_CELLS) {
                return invalid(files);
            }
            cells.add(new Robustness.Cell(name, severity, accuracy.asDouble()));
        }
        return cells.isEmpty() || !isShare(tree.path("clean"))
                ? invalid(files)
                : Optional.of(new Robustness(
                        tree.path("images").asInt(0), tree.path("clean").asDouble(), cells));
    }

    private static boolean isShare(JsonNode value) {
        return value.isNumber() && value.asDouble() >= 0 && value.asDouble() <= 1;
    }

    private static Optional<Robustness> invalid(RunFiles files) {
        files.note(FILE + " does not have accuracies on corrupted images and is left out.");
        return Optional.empty();
    }

    @Override
    public String id() {
        return "robustness";
    }

    @Override
    public String title() {
        return "Robustness";
    }

    @Override
    public String reading() {
        return "Each chart shows the accuracy on test images with one corruption, from clean images (severity 0) to the"
                + " strongest one. A flat curve means that the network is robust. All charts have the same axes.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        Optional<Robustness> measured = run.robustness();
        if (measured.isEmpty()) {
            return;
        }
        Robustness robustness = measured.get();
        html.raw("<p>Clean images: <b>")
                .text(Numbers.percent(robustness.clean()))
                .raw("</b>, corrupted images: <b>")
                .text(Numbers.percent(robustness.mean()))
                .raw("</b> on average over " + robustness.corruptions().size() + " corruptions and severities, "
                        + Numbers.count(robustness.images(), "image") + ".</p>");
        List<Integer> severities = robustness.corruptions().stream()
                .map(Robustness.Cell::severity)
                .distinct()
                .sorted()
                .toList();
        List<String> places = Stream.concat(
                        Stream.of("clean"), severities.stream().map(severity -> "severity " + severity))
                .toList();
        String last = String.valueOf(severities.get(severities.size() - 1));
        html.raw("<div class=\"panels small\">");
        for (String name : robustness.corruptions().stream()
                .map(Robustness.Cell::name)
                .distinct()
                .toList()) {
            new LineChart(name.replace('_', ' '), LineChart.Scale.WHOLE_SHARE)
                    .along("severity", places, "0", last)
                    .curve("accuracy", 0, accuracies(robustness, name, severities))
                    .narrow()
                    .writeTo(html);
        }
        html.raw("</div>");
    }

    /** The clean accuracy first; NaN where a severity was not measured. */
    private static double[] accuracies(Robustness robustness, String name, List<Integer> severities) {
        double[] values = new double[severities.size() + 1];
        values[0] = robustness.clean();
        for (int i = 0; i < severities.size(); i++) {
            int severity = severities.get(i);
            values[i + 1] = robustness.corruptions().stream()
                    .filter(cell -> cell.name().equals(name) && cell.severity() == severity)
                    .mapToDouble(Robustness.Cell::accuracy)
                    .findFirst()
                    .orElse(Double.NaN);
        }
        return values;
    }
}
