package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The content of {@code scores.json}; what is not known is NaN, -1 or empty. */
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
        List<Bin> bins,
        Map<String, String> passport,
        Map<String, Double> seconds,
        String classifier,
        String root) {

    private static final int MOST_CLASSES = 2_000;
    private static final int MOST_CHARACTERS = 2_000;

    /** The scores of one class. */
    record ClassScore(String name, int support, double precision, double recall, double f1) {}

    /** The predictions whose confidence lies between two bounds. */
    record Bin(double lower, double upper, int count, double confidence, double accuracy) {}

    static Scores read(RunFiles files) {
        JsonNode file = files.object("scores.json", 128 << 20);
        List<ClassScore> perClass = perClass(file.path("perClass"));
        JsonNode interval = file.path("interval");
        return new Scores(
                Json.number(file, "accuracy"),
                Json.text(file, "split"),
                Json.index(file, "images"),
                Json.number(file, "top5"),
                Json.number(file, "macroF1"),
                Json.number(interval, "lower"),
                Json.number(interval, "upper"),
                Json.number(interval, "level"),
                Json.number(file.path("validation"), "accuracy"),
                Json.number(file.path("calibration"), "expectedError"),
                classes(file.path("confusion").path("classes"), perClass),
                perClass,
                confusion(file.path("confusion").path("counts")),
                bins(file.path("calibration").path("bins")),
                passport(file.path("passport")),
                Json.numbersByName(file.path("seconds"), 40),
                Json.text(file, "classifier"),
                file.path("root").asText(""));
    }

    /** The name of a class; a number where the file has no name for it. */
    String className(int index) {
        return index >= 0 && index < classes.size() ? classes.get(index) : "class " + index;
    }

    private static List<String> classes(JsonNode names, List<ClassScore> perClass) {
        List<String> classes = new ArrayList<>();
        for (JsonNode name : names) {
            if (classes.size() < MOST_CLASSES) {
                classes.add(Json.shortened(name.asText(), Json.MOST_CHARACTERS_OF_A_NAME));
            }
        }
        return classes.isEmpty() ? perClass.stream().map(ClassScore::name).toList() : List.copyOf(classes);
    }

    private static List<ClassScore> perClass(JsonNode rows) {
        List<ClassScore> scores = new ArrayList<>();
        for (JsonNode row : rows) {
            if (scores.size() < MOST_CLASSES) {
                scores.add(new ClassScore(
                        Json.shortened(Json.text(row, "name"), Json.MOST_CHARACTERS_OF_A_NAME),
                        Json.index(row, "support"),
                        Json.number(row, "precision"),
                        Json.number(row, "recall"),
                        Json.number(row, "f1")));
            }
        }
        return List.copyOf(scores);
    }

    /** Rows are true classes, columns predicted ones. Empty unless the file has a square of counts. */
    private static List<int[]> confusion(JsonNode rows) {
        int size = rows.size();
        if (size > MOST_CLASSES) {
            return List.of();
        }
        int[][] counts = new int[size][size];
        for (int truth = 0; truth < size; truth++) {
            if (rows.path(truth).size() != size) {
                return List.of();
            }
            for (int predicted = 0; predicted < size; predicted++) {
                counts[truth][predicted] =
                        Math.max(0, rows.path(truth).path(predicted).asInt(0));
            }
        }
        return List.of(counts);
    }

    private static List<Bin> bins(JsonNode rows) {
        List<Bin> bins = new ArrayList<>();
        for (JsonNode row : rows) {
            if (bins.size() < 100) {
                bins.add(new Bin(
                        Json.number(row, "lower"),
                        Json.number(row, "upper"),
                        Math.max(0, Json.index(row, "count")),
                        Json.number(row, "meanConfidence"),
                        Json.number(row, "accuracy")));
            }
        }
        return List.copyOf(bins);
    }

    private static Map<String, String> passport(JsonNode fields) {
        Map<String, String> passport = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            JsonNode value = field.getValue();
            if (value.isNull() || passport.size() >= 100) {
                continue;
            }
            if (value.isObject()) {
                List<String> parts = new ArrayList<>();
                value.properties()
                        .forEach(part ->
                                parts.add(part.getKey() + " " + part.getValue().asText()));
                passport.put(field.getKey(), Json.shortened(String.join(", ", parts), MOST_CHARACTERS));
            } else {
                String text = value.isValueNode() ? value.asText() : value.toString();
                passport.put(field.getKey(), Json.shortened(text, MOST_CHARACTERS));
            }
        }
        return passport;
    }
}
