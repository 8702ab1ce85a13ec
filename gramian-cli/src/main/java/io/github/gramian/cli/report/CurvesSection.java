package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.LineChart;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.run.TrainingEvent;
import java.util.List;

/** Loss, accuracy and learning rate over epochs. */
final class CurvesSection implements Section {

    private static final int MAX_ROWS = 500;

    @Override
    public String id() {
        return "curves";
    }

    @Override
    public String title() {
        return "Learning curves";
    }

    @Override
    public String reading() {
        return "Loss should fall and accuracy rise. If the training curve keeps improving while the validation curve"
                + " turns, the network starts to overfit. The ring marks the epoch whose weights were selected.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        History history = run.history();
        if (history.epochs().isEmpty()) {
            return;
        }
        html.raw("<div class=\"panels\">");
        chart("Loss", LineChart.Scale.LINEAR, history)
                .curve("training", 0, history.values(TrainingEvent.Epoch::trainLoss))
                .curve("validation", 1, history.values(TrainingEvent.Epoch::validationLoss))
                .mark(history.bestEpochs())
                .writeTo(html);
        chart("Accuracy", LineChart.Scale.SHARE, history)
                .curve("training", 0, history.values(TrainingEvent.Epoch::trainAccuracy))
                .curve("validation", 1, history.values(TrainingEvent.Epoch::validationAccuracy))
                .mark(history.bestEpochs())
                .writeTo(html);
        chart("Learning rate", LineChart.Scale.LOGARITHMIC, history)
                .curve("learning rate", 2, history.values(TrainingEvent.Epoch::rate))
                .writeTo(html);
        html.raw("</div>");
        table(history.epochs(), html);
    }

    /** A chart over the epochs of this run, with a line between stages. */
    static LineChart chart(String title, LineChart.Scale scale, History history) {
        List<TrainingEvent.Epoch> epochs = history.epochs();
        TrainingEvent.Epoch first = epochs.get(0);
        TrainingEvent.Epoch last = epochs.get(epochs.size() - 1);
        boolean stages = !history.stageStarts().isEmpty();
        return new LineChart(title, scale)
                .along(
                        stages ? "epoch (lines divide stages)" : "epoch",
                        epochs.stream().map(History::label).toList(),
                        stages ? History.stageLabel(first) : String.valueOf(first.epoch()),
                        stages ? History.stageLabel(last) : String.valueOf(last.epoch()))
                .divide(history.stageStarts());
    }

    private static void table(List<TrainingEvent.Epoch> epochs, Html html) {
        html.raw("<details><summary>The numbers</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
                + "<th>Stage</th><th>Epoch</th><th>Training loss</th><th>Validation loss</th><th>Training accuracy</th>"
                + "<th>Validation accuracy</th><th>Rate</th><th>Images/s</th><th>Time</th></tr></thead><tbody>");
        int stride = 1 + (epochs.size() - 1) / MAX_ROWS;
        for (int i = 0; i < epochs.size(); i += stride) {
            TrainingEvent.Epoch epoch = epochs.get(i);
            html.raw("<tr><td>" + epoch.stage() + (epoch.all() ? ", all images" : "") + "</td><td>" + epoch.epoch()
                    + (epoch.best() ? " ●" : "") + "</td>");
            for (String cell : List.of(
                    Numbers.compact(ShownScores.known(epoch.trainLoss())),
                    Numbers.compact(ShownScores.known(epoch.validationLoss())),
                    Numbers.percent(ShownScores.known(epoch.trainAccuracy())),
                    Numbers.percent(ShownScores.known(epoch.validationAccuracy())),
                    Numbers.compact(epoch.rate()),
                    Numbers.compact(epoch.imagesPerSecond()),
                    Numbers.seconds(epoch.seconds()))) {
                html.raw("<td>").text(cell).raw("</td>");
            }
            html.raw("</tr>");
        }
        html.raw("</tbody></table></div><p class=\"caption\">● marks an epoch that was the best so far.</p></details>");
    }
}
