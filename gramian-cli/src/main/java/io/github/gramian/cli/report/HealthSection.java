package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.LineChart;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingEvent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The health monitor's measurements over epochs and its warnings. */
final class HealthSection implements Section {

    private static final int MAX_GRADIENTS = 6;
    private static final int MAX_WARNINGS = 100;

    /** A reading of the monitor: the title of its panel, how it is drawn, and the curves that share the panel. */
    private record Reading(String title, LineChart.Scale scale, List<Curve> curves) {}

    private record Curve(String name, Function<Health, @Nullable Double> value) {}

    private static final List<Reading> READINGS = List.of(
            new Reading(
                    "Share of dead channels",
                    LineChart.Scale.LINEAR,
                    List.of(new Curve("dead channels", Health::deadChannels))),
            new Reading(
                    "Kernel width σ",
                    LineChart.Scale.LINEAR,
                    List.of(new Curve("smallest", Health::sigmaSmallest), new Curve("largest", Health::sigmaLargest))),
            new Reading(
                    "Smallest eigenvalue",
                    LineChart.Scale.LOGARITHMIC,
                    List.of(
                            new Curve("of K", Health::kernelSmallestEigenvalue),
                            new Curve("of Y", Health::transformedSmallestEigenvalue))),
            new Reading(
                    "Condition (largest ÷ smallest eigenvalue)",
                    LineChart.Scale.LOGARITHMIC,
                    List.of(
                            new Curve("of K", Health::kernelCondition),
                            new Curve("of Y", Health::transformedCondition))),
            new Reading(
                    "Fraction of negative eigenvalues after ReLU",
                    LineChart.Scale.LINEAR,
                    List.of(new Curve("negative", Health::negativeAfterRelu))),
            new Reading(
                    "Distance of W from orthonormal",
                    LineChart.Scale.LOGARITHMIC,
                    List.of(new Curve("|WᵀW − I|", Health::orthonormality))));

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
                + " started to go wrong.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        History history = run.history();
        if (history.epochs().isEmpty()) {
            return;
        }
        Html panels = new Html();
        for (Reading reading : READINGS) {
            LineChart chart = CurvesSection.chart(reading.title(), reading.scale(), history);
            int style = 0;
            for (Curve curve : reading.curves()) {
                chart.curve(
                        curve.name(),
                        style++,
                        history.values(epoch -> curve.value().apply(epoch.health())));
            }
            chart.writeTo(panels);
        }
        gradients(history, panels);
        CurvesSection.chart("Images per second", LineChart.Scale.LINEAR, history)
                .curve("images per second", 2, history.values(TrainingEvent.Epoch::imagesPerSecond))
                .writeTo(panels);
        warnings(history, html);
        if (!panels.isEmpty()) {
            html.raw("<div class=\"panels\">").raw(panels.toString()).raw("</div>");
        }
    }

    private static void gradients(History history, Html html) {
        Set<String> names = new LinkedHashSet<>();
        history.epochs()
                .forEach(epoch -> names.addAll(epoch.health().gradientNorms().keySet()));
        List<String> all = List.copyOf(names);
        for (int from = 0; from < Math.min(all.size(), 4 * MAX_GRADIENTS); from += MAX_GRADIENTS) {
            LineChart chart = CurvesSection.chart("Norm of gradients", LineChart.Scale.LOGARITHMIC, history);
            for (int i = from; i < Math.min(all.size(), from + MAX_GRADIENTS); i++) {
                String name = all.get(i);
                chart.curve(
                        name,
                        i - from,
                        history.values(epoch -> epoch.health().gradientNorms().get(name)));
            }
            chart.writeTo(html);
        }
    }

    private static void warnings(History history, Html html) {
        Html list = new Html();
        int shown = 0;
        for (TrainingEvent.Epoch epoch : history.epochs()) {
            for (String warning : epoch.health().warnings()) {
                if (shown++ < MAX_WARNINGS) {
                    list.raw("<li><b>")
                            .text(History.label(epoch))
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
}
