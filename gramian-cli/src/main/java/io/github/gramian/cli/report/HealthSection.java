package io.github.gramian.cli.report;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The health monitor's measurements over epochs and its warnings. */
final class HealthSection implements Section {

    private static final int MOST_GRADIENTS = 6;
    private static final int MOST_WARNINGS = 100;

    /** A measurement of the health monitor: the title of its panel, how it is drawn, and the fields that share the panel. */
    private record Reading(String title, LineChart.Scale scale, Map<String, String> curves) {}

    private static final List<Reading> READINGS = List.of(
            new Reading("Fraction of dead channels", LineChart.Scale.LINEAR, Map.of("deadChannels", "dead channels")),
            new Reading(
                    "Kernel width σ",
                    LineChart.Scale.LINEAR,
                    ordered("sigmaSmallest", "smallest", "sigmaLargest", "largest")),
            new Reading(
                    "Smallest eigenvalue",
                    LineChart.Scale.LOGARITHMIC,
                    ordered("kernelSmallestEigenvalue", "of K", "transformedSmallestEigenvalue", "of Y")),
            new Reading(
                    "Condition (largest ÷ smallest eigenvalue)",
                    LineChart.Scale.LOGARITHMIC,
                    ordered("kernelCondition", "of K", "transformedCondition", "of Y")),
            new Reading(
                    "Fraction of negative eigenvalues after ReLU",
                    LineChart.Scale.LINEAR,
                    Map.of("negativeAfterRelu", "negative")),
            new Reading(
                    "Distance of W from orthonormal",
                    LineChart.Scale.LOGARITHMIC,
                    Map.of("orthonormality", "|WᵀW − I|")));

    @Override
    public String id() {
        return "health";
    }

    @Override
    public String title() {
        return "Health of the training";
    }

    @Override
    public String reading() {
        return "Smooth, nearly level curves are healthy; a jump, or a curve that diverges, shows where a failed training"
                + " wrong began to do so.";
    }

    @Override
    public void write(Run run, Html html) {
        History history = run.history();
        if (history.epochs().isEmpty()) {
            return;
        }
        Html panels = new Html();
        for (Reading reading : READINGS) {
            LineChart chart = CurvesSection.chart(reading.title(), reading.scale(), history);
            int style = 0;
            for (Map.Entry<String, String> curve : reading.curves().entrySet()) {
                chart.curve(
                        curve.getValue(),
                        style++,
                        history.values(epoch -> epoch.health().getOrDefault(curve.getKey(), Double.NaN)));
            }
            chart.writeTo(panels);
        }
        gradients(history, panels);
        CurvesSection.chart("Images per second", LineChart.Scale.LINEAR, history)
                .curve("images per second", 2, history.values(History.Epoch::imagesPerSecond))
                .writeTo(panels);
        warnings(history, html);
        if (!panels.isEmpty()) {
            html.raw("<div class=\"panels\">").raw(panels.toString()).raw("</div>");
        }
    }

    private static void gradients(History history, Html html) {
        Set<String> names = new LinkedHashSet<>();
        history.epochs().forEach(epoch -> names.addAll(epoch.gradientNorms().keySet()));
        List<String> all = List.copyOf(names);
        for (int from = 0; from < Math.min(all.size(), 4 * MOST_GRADIENTS); from += MOST_GRADIENTS) {
            LineChart chart = CurvesSection.chart("Norm of gradients", LineChart.Scale.LOGARITHMIC, history);
            for (int i = from; i < Math.min(all.size(), from + MOST_GRADIENTS); i++) {
                String name = all.get(i);
                chart.curve(
                        name,
                        i - from,
                        history.values(epoch -> epoch.gradientNorms().getOrDefault(name, Double.NaN)));
            }
            chart.writeTo(html);
        }
    }

    private static void warnings(History history, Html html) {
        Html list = new Html();
        int shown = 0;
        for (History.Epoch epoch : history.epochs()) {
            for (String warning : epoch.warnings()) {
                if (shown++ < MOST_WARNINGS) {
                    list.raw("<li><b>")
                            .text(epoch.label())
                            .raw("</b> ")
                            .text(warning)
                            .raw("</li>");
                }
            }
        }
        if (shown > 0) {
            html.raw("<h3>" + Numbers.count(shown, "warning") + "</h3><ul class=\"warnings\">" + list + "</ul>");
        }
    }

    private static Map<String, String> ordered(String first, String firstName, String second, String secondName) {
        Map<String, String> curves = new LinkedHashMap<>();
        curves.put(first, firstName);
        curves.put(second, secondName);
        return curves;
    }
}
