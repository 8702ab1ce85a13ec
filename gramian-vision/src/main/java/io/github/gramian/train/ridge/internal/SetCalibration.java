package io.github.gramian.train.ridge.internal;

import io.github.gramian.eval.conformal.internal.PredictionSets;
import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.run.internal.NetworkPredictions;
import org.jspecify.annotations.Nullable;

/**
 * The scores by which the coverage of sets of classes is calibrated. They come from images that the classifier was not fitted
 * to, with the same probabilities as predictions will have. If gradient descent has trained the descriptors with the labels
 * of the training images, leaving out one of these images is too optimistic, and only validation images count.
 */
final class SetCalibration {

    private SetCalibration() {}

    /** From validation images, as the network with its final factor predicts them. */
    static @Nullable SetScores validated(@Nullable NetworkPredictions predictions, @Nullable BatchSource validation) {
        if (predictions == null || validation == null) {
            return null;
        }
        int[] labels = validation.labels();
        float[] truths = new float[labels.length];
        for (int i = 0; i < truths.length; i++) {
            truths[i] = predictions.probabilities()[i][labels[i]];
        }
        return of(SetScores.Source.VALIDATION, truths);
    }

    /** From training images that were left out. */
    static @Nullable SetScores leftOut(RidgeFit fit, double factor) {
        return of(SetScores.Source.LEAVE_ONE_OUT, fit.heldOut().trueProbabilities(factor, 0));
    }

    /**
     * For a classifier that was fitted to training and validation images together. An image of either is scored by the
     * classifier without this image, which differs less from the final one than an earlier classifier does.
     *
     * @param before the scores of the earlier classifier, which decide what images count; null for none
     * @param firstValidation index of the first validation row
     */
    static @Nullable SetScores ofAll(RidgeFit fit, double factor, @Nullable SetScores before, int firstValidation) {
        if (before == null || fit.heldOut().rows().length == 0) {
            return before;
        }
        int first = before.source() == SetScores.Source.VALIDATION ? firstValidation : 0;
        SetScores scores = of(before.source(), fit.heldOut().trueProbabilities(factor, first));
        return scores == null ? before : scores;
    }

    private static @Nullable SetScores of(SetScores.Source source, float[] truths) {
        return truths.length == 0 ? null : PredictionSets.calibration(source, truths);
    }
}
