package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.LineChart;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.eval.internal.Robustness;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Accuracy on corrupted images: one small chart per corruption, over severities, which start with the clean images. */
final class RobustnessSection implements Section {

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
