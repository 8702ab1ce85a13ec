package io.github.gramian.eval;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * counts[t][p] = number of images of class t that were taken for class p. The diagonal is what was right, a row's sum the
 * number of images of a class (its support), a column's sum how often a class was predicted.
 */
public final class ConfusionMatrix {

    /**
     * Images of one class taken for another.
     *
     * @param truth name of the true class
     * @param predicted name of the class it was taken for
     * @param count how many images
     * @param share of all images of the true class
     */
    public record Confusion(String truth, String predicted, int count, double share) {}

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

    /** Images of class {@code truth} that were taken for class {@code predicted}. */
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

    /** Trace: images that were recognised. */
    public int correct() {
        int sum = 0;
        for (int k = 0; k < counts.length; k++) {
            sum += counts[k][k];
        }
        return sum;
    }

    /** counts[t][p] / support(t): rows that sum to 1; a class without images has a row of zeros. */
    public double[][] normalisedRows() {
        double[][] shares = new double[counts.length][counts.length];
        for (int t = 0; t < counts.length; t++) {
            int support = Math.max(1, support(t));
            for (int p = 0; p < counts.length; p++) {
                shares[t][p] = (double) counts[t][p] / support;
            }
        }
        return shares;
    }

    /**
     * The k pairs (truth, predicted) off the diagonal with the most images, most first, equal ones in the order of
     * classes; fewer where fewer were confused.
     */
    public List<Confusion> mostConfused(int k) {
        if (k < 0) {
            throw new IllegalArgumentException("the number of pairs must be 0 or more but is " + k);
        }
        List<Confusion> pairs = new ArrayList<>();
        for (int t = 0; t < counts.length; t++) {
            int support = support(t);
            for (int p = 0; p < counts.length; p++) {
                if (t != p && counts[t][p] > 0) {
                    pairs.add(new Confusion(
                            classes.get(t), classes.get(p), counts[t][p], (double) counts[t][p] / support));
                }
            }
        }
        pairs.sort(Comparator.comparingInt(Confusion::count).reversed());
        return List.copyOf(pairs.subList(0, Math.min(k, pairs.size())));
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
