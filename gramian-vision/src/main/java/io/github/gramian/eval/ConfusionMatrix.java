package io.github.gramian.eval;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * counts[t][p] = number of images of class t that were predicted as class p. The diagonal has the correct ones, a row's sum
 * is the number of images of a class (its support), a column's sum how often a class was predicted.
 */
public final class ConfusionMatrix {

    private final List<String> classes;
    private final int[][] counts;

    private ConfusionMatrix(List<String> classes, int[][] counts) {
        this.classes = classes;
        this.counts = counts;
    }

    /** Counts predictions; each must have one probability a class. No prediction is a matrix of zeros. */
    public static ConfusionMatrix of(List<Prediction> predictions, List<String> classes) {
        int[][] counts = new int[classes.size()][classes.size()];
        for (Prediction prediction : predictions) {
            if (prediction.classes() != classes.size()) {
                throw new IllegalArgumentException(prediction.id() + " has " + prediction.classes()
                        + " probabilities but there are " + classes.size()
                        + " classes; evaluate with the class list of the model");
            }
            counts[prediction.truth()][prediction.predicted()]++;
        }
        return new ConfusionMatrix(List.copyOf(classes), counts);
    }

    /** Names in the order of rows and columns. */
    public List<String> classes() {
        return classes;
    }

    /** Images of class {@code truth} that were predicted as class {@code predicted}. */
    public int count(int truth, int predicted) {
        return counts[truth][predicted];
    }

    /** Row sum: images of a class. */
    public int support(int truth) {
        return Arrays.stream(counts[truth]).sum();
    }

    /** Column sum: how often a class was predicted. */
    public int timesPredicted(int predicted) {
        return Arrays.stream(counts).mapToInt(row -> row[predicted]).sum();
    }

    /** All images. */
    public int total() {
        return Arrays.stream(counts).flatMapToInt(Arrays::stream).sum();
    }

    /** Trace: images that were predicted correctly. */
    public int correct() {
        int sum = 0;
        for (int k = 0; k < counts.length; k++) {
            sum += counts[k][k];
        }
        return sum;
    }

    /** Class names and counts, ready for JSON. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("classes", classes);
        map.put(
                "counts",
                Arrays.stream(counts)
                        .map(row -> Arrays.stream(row).boxed().toList())
                        .toList());
        return map;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ConfusionMatrix that
                && classes.equals(that.classes)
                && Arrays.deepEquals(counts, that.counts);
    }

    @Override
    public int hashCode() {
        return 31 * classes.hashCode() + Arrays.deepHashCode(counts);
    }

    @Override
    public String toString() {
        return "ConfusionMatrix" + classes + Arrays.deepToString(counts);
    }
}
