package io.github.gramian.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.eval.Calibration;
import io.github.gramian.eval.ClassScore;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Scores;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.internal.ScoresFile;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@code scores.json} that fits on a page. Unknown values are NaN, -1 or empty.
 *
 * @param figures single numbers
 * @param classes what is known of each class
 * @param calibration how far probabilities can be believed
 * @param origin how the scores came about
 */
record ShownScores(Figures figures, Classes classes, Calibrated calibration, Origin origin) {

    /**
     * Single numbers.
     *
     * @param split which images were judged
     * @param images how many there were
     * @param interval of the accuracy
     * @param meanClassAccuracy every class counts the same; NaN unless it lies outside the interval
     */
    record Figures(
            double accuracy,
            Interval interval,
            String split,
            int images,
            double top5,
            double macroF1,
            double meanClassAccuracy) {}

    /** The interval in which the accuracy lies with a confidence of {@code level}. */
    record Interval(double lower, double upper, double level) {}

    /**
     * The classes, in the order of their labels.
     *
     * @param confusion images of class i (row) that were predicted as class j
     */
    record Classes(List<String> names, List<ClassScore> scores, List<int[]> confusion) {}

    /** The calibration error, and the bins of a reliability diagram. */
    record Calibrated(double error, List<Calibration.Bin> bins) {}

    /**
     * How the scores came about.
     *
     * @param seconds that each step took
     * @param notes what is to be known of the end of the training, in words, by name
     * @param root folder of the images
     */
    record Origin(
            Map<String, String> protocol,
            Map<String, Double> seconds,
            double validationAccuracy,
            Map<String, String> notes,
            String root) {}

    private static final int MAX_CLASSES = 2_000;
    private static final int MAX_CHARACTERS = 2_000;
    private static final int MAX_BINS = 100;
    private static final int MAX_SECONDS = 40;

    private static final ShownScores UNKNOWN = new ShownScores(
            new Figures(
                    Double.NaN,
                    new Interval(Double.NaN, Double.NaN, Double.NaN),
                    "",
                    -1,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN),
            new Classes(List.of(), List.of(), List.of()),
            new Calibrated(Double.NaN, List.of()),
            new Origin(Map.of(), Map.of(), Double.NaN, Map.of(), ""));

    static ShownScores read(RunFiles files) {
        JsonNode tree = files.object("scores.json", 128 << 20);
        if (tree.isMissingNode()) {
            return UNKNOWN;
        }
        try {
            ScoresFile file = ScoresFile.of(tree);
            if (file.predictionsSum() != null) {
                files.requireSum("predictions.jsonl", file.predictionsSum());
            }
            return of(file);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            files.note("scores.json does not hold scores and is left out.");
            return UNKNOWN;
        }
    }

    private static ShownScores of(ScoresFile file) {
        Scores scores = file.scores();
        return new ShownScores(
                new Figures(
                        scores.accuracy(),
                        new Interval(
                                scores.interval().lower(),
                                scores.interval().upper(),
                                scores.interval().level()),
                        name(file.split()),
                        scores.images(),
                        known(scores.top5()),
                        scores.macroF1(),
                        scores.classesDiffer() ? scores.meanClassAccuracy() : Double.NaN),
                classes(scores),
                new Calibrated(
                        scores.calibration().expectedError(),
                        scores.calibration().bins().stream().limit(MAX_BINS).toList()),
                new Origin(
                        protocol(file.protocol()),
                        seconds(file.seconds()),
                        known(file.validationAccuracy()),
                        notes(file),
                        file.root()));
    }

    /** Notes on how the training ended, by the name of each row. */
    private static Map<String, String> notes(ScoresFile file) {
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put("Classifier", file.classifier());
        notes.put("Class weights", file.classWeights());
        notes.put("Fine-tuning", file.fineTuning());
        notes.put("Final retraining", file.lastTraining());
        notes.values().removeIf(String::isBlank);
        notes.replaceAll((name, text) -> Text.shortened(text, MAX_CHARACTERS));
        return notes;
    }

    private static Classes classes(Scores scores) {
        List<String> names = scores.confusion().classes();
        return new Classes(
                names.stream().limit(MAX_CLASSES).map(ShownScores::name).toList(),
                scores.perClass().stream()
                        .limit(MAX_CLASSES)
                        .map(one -> new ClassScore(
                                name(one.name()), one.support(), one.precision(), one.recall(), one.f1()))
                        .toList(),
                names.size() > MAX_CLASSES
                        ? List.of()
                        : Arrays.asList(scores.confusion().counts()));
    }

    private static String name(String given) {
        return Text.shortened(given, RunFiles.MAX_CHARACTERS_OF_A_NAME);
    }

    /** A number; NaN where there is none. */
    static double known(@Nullable Double number) {
        return number == null ? Double.NaN : number;
    }

    /** The name of a class; a number where the file has no name for it. */
    String className(int index) {
        return index >= 0 && index < classes.names().size() ? classes.names().get(index) : "class " + index;
    }

    private static Map<String, String> protocol(EvaluationProtocol protocol) {
        Map<String, String> fields = new LinkedHashMap<>();
        protocol.fields().forEach((field, value) -> {
            if (value instanceof Map<?, ?> parts) {
                fields.put(
                        field,
                        parts.entrySet().stream()
                                .map(part -> name(part.getKey() + " " + part.getValue()))
                                .limit(MAX_BINS)
                                .collect(Collectors.joining(", ")));
            } else if (value != null) {
                fields.put(field, Text.shortened(value.toString(), MAX_CHARACTERS));
            }
        });
        return fields;
    }

    private static Map<String, Double> seconds(Map<String, Double> all) {
        Map<String, Double> seconds = new LinkedHashMap<>();
        all.forEach((part, time) -> {
            if (Double.isFinite(time) && seconds.size() < MAX_SECONDS) {
                seconds.put(name(part), time);
            }
        });
        return seconds;
    }
}
