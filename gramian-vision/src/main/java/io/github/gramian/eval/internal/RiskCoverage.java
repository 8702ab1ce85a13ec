package io.github.gramian.eval.internal;

import io.github.gramian.eval.Prediction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What is gained if only confident predictions are used: the accuracy among the images whose confidence is at least a
 * threshold, and the share of images that are still answered.
 *
 * @param rows one for each share of answered images, from all of them down
 */
public record RiskCoverage(List<Row> rows) {

    /** Shares of images to answer. A table with a row for each accuracy would have none for a perfect model. */
    private static final List<Double> SHARES = List.of(1.0, 0.95, 0.9, 0.8, 0.7, 0.5);

    /**
     * One threshold.
     *
     * @param confidence the smallest confidence of an image that is answered
     * @param accuracy among the images that are answered
     * @param answered share of images that are answered
     */
    public record Row(double confidence, double accuracy, double answered) {}

    public RiskCoverage {
        rows = List.copyOf(rows);
    }

    /**
     * Measures the accuracy above each confidence.
     *
     * @param predictions with their true classes; at least one
     */
    public static RiskCoverage of(List<Prediction> predictions) {
        List<Prediction> sorted = predictions.stream()
                .sorted(Comparator.comparingDouble(Prediction::confidence).reversed())
                .toList();
        int n = sorted.size();
        int[] correct = new int[n + 1];
        for (int i = 0; i < n; i++) {
            correct[i + 1] = correct[i] + (sorted.get(i).correct() ? 1 : 0);
        }
        List<Row> rows = new ArrayList<>();
        for (double share : SHARES) {
            int count = lastOfEqual(sorted, Math.max(1, (int) Math.round(share * n)));
            Row row = new Row(sorted.get(count - 1).confidence(), (double) correct[count] / count, (double) count / n);
            if (rows.isEmpty() || rows.get(rows.size() - 1).answered() > row.answered()) {
                rows.add(row);
            }
        }
        return new RiskCoverage(rows);
    }

    /** Images of equal confidence are all answered, or none of them. */
    private static int lastOfEqual(List<Prediction> sorted, int count) {
        int last = count;
        while (last < sorted.size()
                && sorted.get(last).confidence() == sorted.get(count - 1).confidence()) {
            last++;
        }
        return last;
    }
}
