package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The prediction for a test image; {@code truth} and {@code predicted} are places in the list of classes. */
record Prediction(String id, int truth, int predicted, double confidence) {

    /** Of all predictions only the mistakes with the highest confidence are kept, and how many there were. */
    record Mistakes(List<Prediction> mostConfident, long wrong, long total) {}

    private static final Comparator<Prediction> BY_CONFIDENCE =
            Comparator.comparingDouble(Prediction::confidence).thenComparing(Prediction::id);

    static Mistakes readMistakes(RunFiles files, int most) {
        PriorityQueue<Prediction> kept = new PriorityQueue<>(BY_CONFIDENCE);
        long[] wrongAndTotal = new long[2];
        files.lines("predictions.jsonl", 1L << 30, line -> {
            Prediction prediction = of(line);
            if (prediction.truth() < 0 || prediction.predicted() < 0) {
                return;
            }
            wrongAndTotal[1]++;
            if (prediction.truth() != prediction.predicted()) {
                wrongAndTotal[0]++;
                kept.add(prediction);
                if (kept.size() > most) {
                    kept.remove();
                }
            }
        });
        List<Prediction> mistakes =
                kept.stream().sorted(BY_CONFIDENCE.reversed()).toList();
        return new Mistakes(mistakes, wrongAndTotal[0], wrongAndTotal[1]);
    }

    private static Prediction of(JsonNode line) {
        double confidence = Json.number(line, "confidence");
        return new Prediction(
                Json.text(line, "id"),
                Json.index(line, "truth"),
                Json.index(line, "predicted"),
                Double.isFinite(confidence) ? confidence : 0);
    }
}
