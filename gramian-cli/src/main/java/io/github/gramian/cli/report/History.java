package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The content of {@code events.jsonl}: epochs in order and the ridge fits. An epoch that was run again after a restart
 * counts once, as it was last.
 */
record History(List<Epoch> epochs, List<RidgeFit> ridgeFits) {

    private static final int MOST_EPOCHS = 5_000;
    private static final int MOST_ROWS = 200;
    private static final int MOST_PARAMETERS = 64;
    private static final int MOST_WARNINGS = 50;

    /** One pass over the training images; what is not known is NaN. */
    record Epoch(
            int stage,
            int number,
            double rate,
            double trainLoss,
            double trainAccuracy,
            double validationLoss,
            double validationAccuracy,
            double imagesPerSecond,
            double seconds,
            boolean best,
            Map<String, Double> health,
            Map<String, Double> gradientNorms,
            List<String> warnings) {

        private static Epoch of(JsonNode event) {
            JsonNode health = event.path("health");
            List<String> warnings = new ArrayList<>();
            for (JsonNode warning : health.path("warnings")) {
                if (warnings.size() < MOST_WARNINGS) {
                    warnings.add(Json.shortened(warning.asText(), 500));
                }
            }
            return new Epoch(
                    Math.max(1, Json.index(event, "stage")),
                    Json.index(event, "epoch"),
                    Json.number(event, "rate"),
                    Json.number(event, "trainLoss"),
                    Json.number(event, "trainAccuracy"),
                    Json.number(event, "validationLoss"),
                    Json.number(event, "validationAccuracy"),
                    Json.number(event, "imagesPerSecond"),
                    Json.number(event, "seconds"),
                    event.path("best").asBoolean(false),
                    Json.numbersByName(health, MOST_PARAMETERS),
                    Json.numbersByName(health.path("gradientNorms"), MOST_PARAMETERS),
                    List.copyOf(warnings));
        }

        String label() {
            return "Stage " + stage + ", epoch " + number;
        }
    }

    /** A closed-form classifier and the strengths of its penalty that were tried. */
    record RidgeFit(
            int stage,
            double lambda,
            double heldOutAccuracy,
            double temperature,
            double validationAccuracy,
            List<Row> table) {

        record Row(double lambda, double accuracy, double logLoss) {}

        private static RidgeFit of(JsonNode event) {
            List<Row> table = new ArrayList<>();
            for (JsonNode row : event.path("table")) {
                if (table.size() < MOST_ROWS) {
                    table.add(new Row(
                            Json.number(row, "lambda"), Json.number(row, "accuracy"), Json.number(row, "logLoss")));
                }
            }
            table.sort(Comparator.comparingDouble(Row::lambda));
            return new RidgeFit(
                    Math.max(1, Json.index(event, "stage")),
                    Json.number(event, "lambda"),
                    Json.number(event, "heldOutAccuracy"),
                    Json.number(event, "temperature"),
                    Json.number(event, "validationAccuracy"),
                    List.copyOf(table));
        }
    }

    static History read(RunFiles files) {
        TreeMap<Integer, TreeMap<Integer, Epoch>> epochs = new TreeMap<>();
        Map<Integer, RidgeFit> fits = new LinkedHashMap<>();
        files.lines("events.jsonl", 256L << 20, event -> {
            switch (Json.text(event, "event")) {
                case "epoch" -> {
                    Epoch epoch = Epoch.of(event);
                    epochs.computeIfAbsent(epoch.stage(), stage -> new TreeMap<>())
                            .put(epoch.number(), epoch);
                }
                case "ridge" -> {
                    RidgeFit fit = RidgeFit.of(event);
                    fits.put(fit.stage(), fit);
                }
                default -> {
                    // Events of other kinds are for other readers.
                }
            }
        });
        List<Epoch> inOrder = epochs.values().stream()
                .flatMap(stage -> stage.values().stream())
                .limit(MOST_EPOCHS)
                .toList();
        return new History(inOrder, List.copyOf(fits.values()));
    }

    /** The value of every epoch, NaN where it is not known. */
    double[] values(ToDoubleFunction<Epoch> value) {
        return epochs.stream().mapToDouble(value).toArray();
    }

    /** Places of the epochs whose weights were kept: of each stage the last that was the best so far. */
    List<Integer> bestEpochs() {
        Map<Integer, Integer> lastBest = new TreeMap<>();
        for (int i = 0; i < epochs.size(); i++) {
            if (epochs.get(i).best()) {
                lastBest.put(epochs.get(i).stage(), i);
            }
        }
        return List.copyOf(lastBest.values());
    }

    /** Places of the first epoch of every stage but the first. */
    List<Integer> stageStarts() {
        List<Integer> starts = new ArrayList<>();
        for (int i = 1; i < epochs.size(); i++) {
            if (epochs.get(i).stage() != epochs.get(i - 1).stage()) {
                starts.add(i);
            }
        }
        return starts;
    }
}
