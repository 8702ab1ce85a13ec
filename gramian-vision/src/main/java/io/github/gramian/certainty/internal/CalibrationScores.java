package io.github.gramian.certainty.internal;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.certainty.PredictionSets.Source;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a classifier gives images that it was not fitted to, by which the coverage of sets of classes is calibrated.
 *
 * @param rows their indices, in ascending order
 * @param labels of these rows
 * @param scores [rows × classes], row by row
 * @param classes number of classes
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record CalibrationScores(int[] rows, int[] labels, float[] scores, int classes) {

    /** Scores of more rows would take hundreds of megabytes and calibrate no better. */
    private static final long MAX_SCORES = 1L << 24;

    /** No rows. */
    public static CalibrationScores none(int classes) {
        return new CalibrationScores(new int[0], new int[0], new float[0], classes);
    }

    /**
     * Copies scores; of very many rows some, evenly spread.
     *
     * @param scores [rows × classes], row by row
     * @param labels one for each row
     */
    public static CalibrationScores of(double[] scores, int[] labels, int classes) {
        return of(scores, labels, classes, MAX_SCORES);
    }

    static CalibrationScores of(double[] scores, int[] labels, int classes, long most) {
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
        return new CalibrationScores(rows, known, some, classes);
    }

    /** Sets that are calibrated by the rows from one on, each scored by a classifier without it; null if there are no rows. */
    public @Nullable PredictionSets sets(Source source, double temperature, int first) {
        float[] truths = trueProbabilities(temperature, first);
        return truths.length == 0 ? null : PredictionSets.of(source, truths);
    }

    /**
     * The sets of a classifier that was fitted to training and validation images together, calibrated by the images that
     * calibrated before. Each is scored by the classifier without this image, which differs less from the final one than an
     * earlier classifier does.
     *
     * @param before the sets of the earlier classifier; null for none
     * @param firstValidation index of the first validation row
     */
    public @Nullable PredictionSets replacing(
            @Nullable PredictionSets before, double temperature, int firstValidation) {
        if (before == null) {
            return null;
        }
        int first = before.source() == Source.VALIDATION ? firstValidation : 0;
        PredictionSets sets = sets(before.source(), temperature, first);
        return sets == null ? before : sets;
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
