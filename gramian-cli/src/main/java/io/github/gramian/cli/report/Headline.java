package io.github.gramian.cli.report;

import io.github.gramian.cli.chart.Html;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.CalledUnknown;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The first screen: how good, on what, with what, when. */
final class Headline {

    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "d MMMM uuuu, HH:mm 'UTC'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private Headline() {}

    static void write(ShownRun run, Html html) {
        html.raw("<p class=\"what\">").text(what(run)).raw("</p>");
        ShownScores scores = run.scores();
        double validation = bestValidation(run);
        if (run.hasOneClass()) {
            falseAlarms(html, run);
        } else if (Double.isFinite(scores.figures().accuracy())) {
            figure(html, scores.figures().accuracy(), "accuracy on " + images(scores));
            if (Double.isFinite(scores.figures().meanClassAccuracy())) {
                figure(
                        html,
                        scores.figures().meanClassAccuracy(),
                        "mean class accuracy, in which every class counts the same");
            }
            if (Double.isFinite(scores.figures().interval().lower())
                    && Double.isFinite(scores.figures().interval().upper())) {
                interval(html, scores);
            }
        } else if (Double.isFinite(validation)) {
            figure(html, validation, "accuracy on validation images so far; the test has not been run");
        } else {
            html.raw("<p class=\"caption\">This run has no scores yet.</p>");
        }
        if (!run.hasOneClass()) {
            tiles(html, run, validation);
        }
        run.scores()
                .origin()
                .notes()
                .forEach((name, text) -> html.raw("<p class=\"caption\">")
                        .text(name + ": " + text + ".")
                        .raw("</p>"));
        if (!run.notes().isEmpty()) {
            html.raw("<ul class=\"notes\" aria-label=\"Notes\">");
            run.notes().forEach(note -> html.raw("<li>").text(note).raw("</li>"));
            html.raw("</ul>");
        }
    }

    /** At all levels that the model has enough training images for. */
    private static void falseAlarms(Html html, ShownRun run) {
        List<CalledUnknown.Level> levels =
                run.certainty().unknown().map(CalledUnknown::levels).orElse(List.of()).stream()
                        .filter(one -> one.needed() == 0)
                        .toList();
        if (levels.isEmpty()) {
            html.raw(
                    "<p class=\"caption\">This model has one class, and too few training images to recognise unknown images."
                            + "</p>");
            return;
        }
        for (CalledUnknown.Level one : levels) {
            figure(
                    html,
                    (double) one.unknown() / run.scores().figures().images(),
                    "of " + images(run.scores()) + " are called unknown at the level " + one.level()
                            + ", which are false alarms");
        }
    }

    private static String what(ShownRun run) {
        Map<String, String> protocol = run.scores().origin().protocol();
        List<String> parts = new ArrayList<>();
        for (String field : List.of("dataset", "backbone", "protocol")) {
            String value = protocol.getOrDefault(field, "");
            if (!value.isBlank()) {
                parts.add(value);
            }
        }
        int classes = run.scores().classes().names().size();
        if (classes > 0) {
            parts.add(Math.min(1, parts.size()), Text.count(classes, "class"));
        }
        run.finished().ifPresent(when -> parts.add(DATE.format(when)));
        return String.join(" · ", parts);
    }

    private static String images(ShownScores scores) {
        String split =
                scores.figures().split().isBlank() ? "test" : scores.figures().split();
        return scores.figures().images() > 0
                ? Numbers.count(scores.figures().images(), split + " image")
                : split + " images";
    }

    private static void figure(Html html, double share, String caption) {
        html.raw("<p class=\"figure\"><strong>")
                .text(Numbers.percent(share))
                .raw("</strong> <span class=\"caption\">")
                .text(caption)
                .raw("</span></p>");
    }

    /** A bar from 0 to 100 % with the interval on it, and the same in words. */
    private static void interval(Html html, ShownScores scores) {
        double lower = Math.max(0, Math.min(1, scores.figures().interval().lower()));
        double upper = Math.max(lower, Math.min(1, scores.figures().interval().upper()));
        html.raw("<div class=\"interval\" role=\"img\"")
                .attribute("aria-label", "from " + Numbers.percent(lower) + " to " + Numbers.percent(upper))
                .raw("><span style=\"left:")
                .number(100 * lower)
                .raw("%;width:")
                .number(100 * (upper - lower))
                .raw("%\"></span><i style=\"left:")
                .number(100 * Math.max(0, Math.min(1, scores.figures().accuracy())))
                .raw(
                        "%\"></i></div><p class=\"caption\">The number of test images limits the precision: the true accuracy"
                                + " lies between <b>")
                .text(Numbers.percent(lower))
                .raw("</b> and <b>")
                .text(Numbers.percent(upper))
                .raw("</b>")
                .text(
                        Double.isFinite(scores.figures().interval().level())
                                ? " with "
                                        + Math.round(100
                                                * scores.figures().interval().level()) + " % confidence."
                                : ".")
                .raw("</p>");
    }

    private static void tiles(Html html, ShownRun run, double validation) {
        ShownScores scores = run.scores();
        Html tiles = new Html();
        // Among five classes or fewer it is always 1.
        double top5 = scores.classes().names().size() > 5 ? scores.figures().top5() : Double.NaN;
        tile(tiles, "Top-5 accuracy", Numbers.percent(top5), top5);
        tile(
                tiles,
                "Mean F1 of the classes",
                Numbers.percent(scores.figures().macroF1()),
                scores.figures().macroF1());
        double known = Double.isFinite(scores.origin().validationAccuracy())
                ? scores.origin().validationAccuracy()
                : validation;
        if (Double.isFinite(scores.figures().accuracy())) {
            tile(tiles, "Validation accuracy", Numbers.percent(known), known);
        }
        tile(
                tiles,
                "Calibration error",
                Numbers.percent(scores.calibration().error()),
                scores.calibration().error());
        double seconds = scores.origin().seconds().values().stream()
                .mapToDouble(value -> value)
                .sum();
        if (scores.origin().seconds().containsKey("total")) {
            seconds = scores.origin().seconds().get("total");
        }
        tile(tiles, "Time", Numbers.seconds(seconds), seconds > 0 ? seconds : Double.NaN);
        int epochs = run.history().epochs().size();
        tile(tiles, "Epochs", Numbers.count(epochs), epochs > 0 ? epochs : Double.NaN);
        if (!tiles.isEmpty()) {
            html.raw("<dl class=\"tiles\">").raw(tiles.toString()).raw("</dl>");
        }
    }

    /** A figure with its name; nothing if it is not known. */
    static void tile(Html html, String name, String value, double known) {
        if (Double.isFinite(known)) {
            html.raw("<div><dt>").text(name).raw("</dt><dd>").text(value).raw("</dd></div>");
        }
    }

    /** The highest validation accuracy of any stage. */
    private static double bestValidation(ShownRun run) {
        return Stream.concat(
                        run.history().epochs().stream().map(TrainingEvent.Epoch::validationAccuracy),
                        run.history().ridgeFits().stream().map(TrainingEvent.Ridge::validationAccuracy))
                .mapToDouble(ShownScores::known)
                .filter(Double::isFinite)
                .max()
                .orElse(Double.NaN);
    }
}
