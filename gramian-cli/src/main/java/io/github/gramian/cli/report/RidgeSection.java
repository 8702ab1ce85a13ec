package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.LineChart;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.run.TrainingEvent;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The penalties that were tried for the classifier that is solved in closed form. */
final class RidgeSection implements Section {

    @Override
    public String id() {
        return "ridge";
    }

    @Override
    public String title() {
        return "Ridge classifier";
    }

    @Override
    public String reading() {
        return "A ridge classifier is computed in one step instead of being trained; λ is the strength of its penalty,"
                + " and the ring marks the λ that predicted held-out images best.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        for (TrainingEvent.Ridge fit : run.history().ridgeFits()) {
            html.raw("<div class=\"ridge\"><h3>After stage " + fit.stage() + "</h3><dl class=\"tiles\">");
            double validation = ShownScores.known(fit.validationAccuracy());
            Headline.tile(html, "Chosen λ", Numbers.compact(fit.lambda()), fit.lambda());
            Headline.tile(
                    html, "Accuracy on images held out", Numbers.percent(fit.heldOutAccuracy()), fit.heldOutAccuracy());
            Headline.tile(html, "Validation accuracy", Numbers.percent(validation), validation);
            Headline.tile(html, "Temperature", Numbers.compact(fit.temperature()), fit.temperature());
            html.raw("</dl>");
            if (!fit.table().isEmpty()) {
                html.raw("<div class=\"panels\">");
                chart("Accuracy over λ", LineChart.Scale.SHARE, fit)
                        .curve("held-out accuracy", 1, values(fit, TrainingEvent.Ridge.Trial::accuracy))
                        .writeTo(html);
                chart("Log loss over λ", LineChart.Scale.LINEAR, fit)
                        .curve("log loss", 0, values(fit, TrainingEvent.Ridge.Trial::logLoss))
                        .writeTo(html);
                html.raw("</div>");
            }
            html.raw("</div>");
        }
    }

    private static LineChart chart(String title, LineChart.Scale scale, TrainingEvent.Ridge fit) {
        List<String> names = fit.table().stream()
                .map(row -> "λ = " + Numbers.compact(row.lambda()))
                .toList();
        List<Integer> chosen = IntStream.range(0, names.size())
                .filter(i -> Math.abs(fit.table().get(i).lambda() - fit.lambda()) <= 1e-9 * Math.abs(fit.lambda()))
                .boxed()
                .toList();
        return new LineChart(title, scale)
                .along(
                        "λ",
                        names,
                        names.get(0).substring(4),
                        names.get(names.size() - 1).substring(4))
                .mark(chosen);
    }

    private static double[] values(TrainingEvent.Ridge fit, ToDoubleFunction<TrainingEvent.Ridge.Trial> value) {
        return fit.table().stream().mapToDouble(value).toArray();
    }
}
