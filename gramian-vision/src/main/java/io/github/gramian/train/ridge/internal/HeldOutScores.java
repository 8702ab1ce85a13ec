package io.github.gramian.train.ridge.internal;

import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * What a classifier gives rows that it was not fitted to, by which the coverage of sets of classes is calibrated.
 *
 * @param rows their indices, in ascending order
 * @param labels of these rows
 * @param scores [rows × classes], row by row
 * @param classes number of classes
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record HeldOutScores(int[] rows, int[] labels, float[] scores, int classes) {

    /** Scores of more rows would take hundreds of megabytes and calibrate no better. */
    private static final long MAX_SCORES = 1L << 24;

    /** No rows. */
    static HeldOutScores none(int classes) {
        return new HeldOutScores(new int[0], new int[0], new float[0], classes);
    }

    /**
     * Copies scores; of very many rows some, evenly spread.
     *
     * @param scores [rows, classes], double
     * @param labels one for each row
     */
    static HeldOutScores of(Tensor scores, int[] labels, int classes) {
        return of(HeldOut.values(scores), labels, classes, MAX_SCORES);
    }

    static HeldOutScores of(double[] scores, int[] labels, int classes, long most) {
        int stride = (int) Math.max(1, (scores.length + most - 1) / most);
        int[] rows = IntStream.range(0, labels.length)
                .filter(row -> row % stride == 0)
                .toArray();
        float[] some = new float[rows.length * classes];
        int[] known = new int[rows.length];
        for (int i = 0; i < rows.length; i++) {
            known[i] = labels[rows[i]];
            for (int c = 0; c < classes; c++) {
                some[i * classes + c] = (float) scores[rows[i] * classes + c];
            }
        }
        return new HeldOutScores(rows, known, some, classes);
    }

    /**
     * The probabilities of the true classes under softmax(temperature · scores).
     *
     * @param first index of the first row to look at
     */
    float[] trueProbabilities(double temperature, int first) {
        int skipped = (int) IntStream.of(rows).filter(row -> row < first).count();
        float[] found = new float[rows.length - skipped];
        for (int i = skipped; i < rows.length; i++) {
            double own = scores[i * classes + labels[i]];
            double sum = 0;
            for (int c = 0; c < classes; c++) {
                sum += Math.exp(temperature * (scores[i * classes + c] - own));
            }
            found[i - skipped] = (float) (1 / sum);
        }
        return found;
    }
}
