package io.github.gramian.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.eval.Calibration;
import io.github.gramian.eval.ClassScore;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.run.internal.ScoresFile;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a page shows of {@code scores.json}, cut to what fits on it; what is not known is NaN, -1 or empty. */
record Scores(
        double accuracy,
        String split,
        int images,
        double top5,
        double macroF1,
        double lower,
        double upper,
        double level,
        double validationAccuracy,
        double calibrationError,
        List<String> classes,
        List<ClassScore> perClass,
        List<int[]> confusion,
        List<Calibration.Bin> bins,
        Map<String, String> passport,
        Map<String, Double> seconds,
        String classifier,
        String root) {

    private static final int MOST_CLASSES = 2_000;
    private static final int MOST_CHARACTERS = 2_000;
    private static final int MOST_BINS = 100;
    private static final int MOST_SECONDS = 40;

    private static final Scores UNKNOWN = new Scores(
            Double.NaN,
            "",
            -1,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            Double.NaN,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Map.of(),
            Map.of(),
            "",
            "");

    static Scores read(RunFiles files) {
        JsonNode tree = files.object("scores.json", 128 << 20);
        if (tree.isMissingNode()) {
            return UNKNOWN;
        }
        try {
            return of(ScoresFile.of(tree));
        } catch (JsonProcessingException | IllegalArgumentException wrong) {
            files.note("scores.json does not hold scores and is left out.");
            return UNKNOWN;
        }
    }

    private static Scores of(ScoresFile file) {
        io.github.gramian.eval.Scores scores = file.scores();
        return new Scores(
                scores.accuracy(),
                Json.shortened(file.split(), Json.MOST_CHARACTERS_OF_A_NAME),
                scores.images(),
                known(scores.top5()),
                scores.macroF1(),
                scores.interval().lower(),
                scores.interval().upper(),
                scores.interval().level(),
                known(file.validationAccuracy()),
                scores.calibration().expectedError(),
                scores.confusion().classes().stream()
                        .limit(MOST_CLASSES)
                        .map(Scores::name)
                        .toList(),
                scores.perClass().stream()
                        .limit(MOST_CLASSES)
                        .map(one -> new ClassScore(
                                name(one.name()), one.support(), one.precision(), one.recall(), one.f1()))
                        .toList(),
                scores.confusion().classes().size() > MOST_CLASSES
                        ? List.of()
                        : Arrays.asList(scores.confusion().counts()),
                scores.calibration().bins().stream().limit(MOST_BINS).toList(),
                passport(file.passport()),
                seconds(file.seconds()),
                Json.shortened(file.classifier(), MOST_CHARACTERS),
                file.root());
    }

    private static String name(String given) {
        return Json.shortened(given, Json.MOST_CHARACTERS_OF_A_NAME);
    }

    /** A number; NaN where there is none. */
    static double known(@Nullable Double number) {
        return number == null ? Double.NaN : number;
    }

    /** The name of a class; a number where the file has no name for it. */
    String className(int index) {
        return index >= 0 && index < classes.size() ? classes.get(index) : "class " + index;
    }

    private static Map<String, String> passport(EvaluationProtocol protocol) {
        Map<String, String> passport = new LinkedHashMap<>();
        protocol.fields().forEach((field, value) -> {
            if (value instanceof Map<?, ?> parts) {
                passport.put(
                        field,
                        parts.entrySet().stream()
                                .map(part -> name(part.getKey() + " " + part.getValue()))
                                .limit(MOST_BINS)
                                .collect(Collectors.joining(", ")));
            } else if (value != null) {
                passport.put(field, Json.shortened(value.toString(), MOST_CHARACTERS));
            }
        });
        return passport;
    }

    private static Map<String, Double> seconds(Map<String, Double> all) {
        Map<String, Double> seconds = new LinkedHashMap<>();
        all.forEach((part, time) -> {
            if (Double.isFinite(time) && seconds.size() < MOST_SECONDS) {
                seconds.put(name(part), time);
            }
        });
        return seconds;
    }
}
