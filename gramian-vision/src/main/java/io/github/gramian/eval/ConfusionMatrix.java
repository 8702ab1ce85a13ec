package io.github.gramian.eval;

import java.util.Arrays;
import java.util.List;

/**
 * counts[t][p] = number of images of class t that were predicted as class p. The diagonal has the correct ones, a row's sum is the
 * number of images of a class (its support), a column's sum how often a class was predicted.
 *
 * @param classes names in the order of rows and columns
 * @param counts a square: rows are true classes, columns predicted ones
 */
@SuppressWarnings("ArrayRecordComponent") // copied on the way in and out, and compared by its values
public record ConfusionMatrix(List<String> classes, int[][] counts) {

    public ConfusionMatrix {
        classes = List.copyOf(classes);
        counts = copy(counts);
        int size = classes.size();
        if (counts.length != size || Arrays.stream(counts).anyMatch(row -> row.length != size)) {
            throw new IllegalArgumentException("a confusion matrix of " + size + " classes has " + size
                    + " rows and columns; count again with the class list of the model");
        }
    }

    /** Counts predictions; each must have one probability a class. No prediction is a matrix of zeros. */
    public static ConfusionMatrix of(List<Prediction> predictions, List<String> classes) {
        int[][] counts = new int[classes.size()][classes.size()];
        for (Prediction prediction : predictions) {
            if (prediction.classes().size() != classes.size()) {
                throw new IllegalArgumentException(prediction.image() + " has "
                        + prediction.classes().size()
                        + " probabilities but there are " + classes.size()
                        + " classes; evaluate with the class list of the model");
            }
            counts[prediction.truth()][prediction.predicted()]++;
        }
        return new ConfusionMatrix(classes, counts);
    }

    /** A copy of all counts. */
    @Override
    public int[][] counts() {
        return copy(counts);
    }

    private static int[][] copy(int[][] rows) {
        return Arrays.stream(rows).map(int[]::clone).toArray(int[][]::new);
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
