package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.LineChart;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.RiskCoverage;
import io.github.gramian.eval.internal.SetCoverage;
import io.github.gramian.model.internal.ModelReference;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.CalledUnknown;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** What can be done with uncertain predictions: answer only confident ones, answer with sets of classes, or reject images. */
final class CertaintySection implements Section {

    /** Larger files would take gigabytes of memory. */
    private static final long MAX_BYTES = 256L << 20;

    /**
     * Figures on the test images of a run.
     *
     * @param confident accuracy above a confidence; empty if the predictions cannot be read
     * @param sets coverage and size of sets; empty if the model has no calibration scores
     * @param unknown images that are called unknown; empty if the images have no novelty
     */
    record Shown(Optional<RiskCoverage> confident, Optional<SetCoverage> sets, Optional<CalledUnknown> unknown) {

        private static final Shown NOTHING = new Shown(Optional.empty(), Optional.empty(), Optional.empty());

        /** Reads predictions and model. If they are missing or damaged, other chapters have a note on it. */
        static Shown read(Path folder) {
            RunFolder files = new RunFolder(folder);
            try {
                if (!Files.exists(files.predictions()) || Files.size(files.predictions()) > MAX_BYTES) {
                    return NOTHING;
                }
                List<Prediction> predictions = Run.open(folder).predictions();
                if (predictions.isEmpty()) {
                    return NOTHING;
                }
                ModelReference reference = reference(files.model());
                return new Shown(
                        Optional.of(RiskCoverage.of(predictions)),
                        reference.sets().map(scores -> SetCoverage.of(predictions, scores, SetCoverage.LEVELS)),
                        CalledUnknown.of(predictions, reference.novelty()));
            } catch (IOException | RuntimeException e) {
                return NOTHING;
            }
        }

        private static ModelReference reference(Path model) {
            if (!Files.exists(model)) {
                return ModelReference.none();
            }
            try (StoredModel stored = StoredModel.open(model)) {
                return stored.reference();
            } catch (IOException | RuntimeException | LinkageError e) { // the last without LibTorch's jars
                return ModelReference.none();
            }
        }
    }

    @Override
    public String id() {
        return "certainty";
    }

    @Override
    public String title() {
        return "Certainty";
    }

    @Override
    public String reading() {
        return "If errors are expensive, answer only above a confidence, answer with a set of classes, or reject unknown"
                + " images. All figures are those of the test images.";
    }

    @Override
    public void write(ShownRun run, Html html) {
        if (!run.hasOneClass()) {
            run.certainty().confident().ifPresent(confident -> confidentTable(confident, html));
            run.certainty().sets().ifPresent(sets -> sets(sets, html));
        }
        run.certainty().unknown().ifPresent(counts -> unknown(counts, html));
    }

    private static void unknown(CalledUnknown counts, Html html) {
        html.raw(
                "<h3>Unknown images</h3><p>An image is called unknown if its novelty is below the level. For test images,"
                        + " these are false alarms.</p><table><thead><tr><th>level</th><th>called unknown, of "
                        + Numbers.count(counts.images(), "image") + "</th></tr></thead><tbody>");
        for (CalledUnknown.Level one : counts.levels()) {
            String number = one.needed() > 0
                    ? "needs " + one.needed() + " training images"
                    : one.unknown() + " (" + Numbers.percent((double) one.unknown() / counts.images()) + ")";
            html.raw("<tr><td>" + one.level() + "</td><td>" + number + "</td></tr>");
        }
        html.raw("</tbody></table>");
    }

    private static void confidentTable(RiskCoverage confident, Html html) {
        html.raw("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>answer only above this confidence</th>"
                + "<th>accuracy</th><th>share answered</th></tr></thead><tbody>");
        for (RiskCoverage.Row row : confident.rows()) {
            html.raw("<tr><td>" + threshold(row.confidence()) + "</td><td>")
                    .text(Numbers.percent(row.accuracy()))
                    .raw("</td><td>")
                    .text(Numbers.percent(row.answered()))
                    .raw("</td></tr>");
        }
        html.raw("</tbody></table></div>");
    }

    /** To copy into a program; rounded down, so that the image on the threshold is answered. */
    private static String threshold(double confidence) {
        return String.format(Locale.ROOT, "%.4f", Math.floor(confidence * 1e4) / 1e4);
    }

    private static void sets(SetCoverage sets, Html html) {
        html.raw(
                        "<h3>Sets of classes</h3><p>A set with a coverage of 90 % is meant to hold the true class of 90 % of the"
                                + " images. The sets are calibrated by "
                                + Numbers.count(sets.calibrationScores(), "score") + " (")
                .text(sets.source())
                .raw(").</p><div class=\"panels\">");
        List<String> places = sets.levels().stream()
                .map(one -> "coverage " + Numbers.percent(one.level()))
                .toList();
        String first = Numbers.percent(sets.levels().get(0).level());
        String last =
                Numbers.percent(sets.levels().get(sets.levels().size() - 1).level());
        new LineChart("Observed coverage", LineChart.Scale.SHARE)
                .along("requested coverage", places, first, last)
                .curve("asked for", 1, values(sets, SetCoverage.Level::level))
                .curve("observed", 0, values(sets, SetCoverage.Level::coverage))
                .writeTo(html);
        new LineChart("Mean number of classes in a set", LineChart.Scale.LINEAR)
                .along("requested coverage", places, first, last)
                .curve("classes", 0, values(sets, SetCoverage.Level::meanSize))
                .writeTo(html);
        html.raw("</div>");
        table(sets, html);
    }

    private static void table(SetCoverage sets, Html html) {
        html.raw("<details><summary>The numbers</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr>"
                + "<th>requested coverage</th><th>observed</th><th>mean size</th><th>single class</th></tr></thead>"
                + "<tbody>");
        for (SetCoverage.Level one : sets.levels()) {
            html.raw("<tr><td>")
                    .text(Numbers.percent(one.level()))
                    .raw("</td><td>")
                    .text(Numbers.percent(one.coverage()))
                    .raw("</td><td>" + String.format(Locale.ROOT, "%.2f", one.meanSize()) + "</td><td>")
                    .text(Numbers.percent(one.single()))
                    .raw("</td></tr>");
        }
        html.raw("</tbody></table></div></details>");
    }

    private static double[] values(SetCoverage sets, ToDoubleFunction<SetCoverage.Level> value) {
        return sets.levels().stream().mapToDouble(value).toArray();
    }
}
