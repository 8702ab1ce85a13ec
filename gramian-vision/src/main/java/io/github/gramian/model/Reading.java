package io.github.gramian.model;

import io.github.gramian.eval.Prediction;

/**
 * A prediction and the descriptor it was made from.
 *
 * @param prediction of several views, the mean of their probabilities
 * @param descriptor what the classifier sees; of several views, their mean; empty if the image was rejected
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record Reading(Prediction prediction, float[] descriptor) {

    /** The reading of a file that is not an image, or not one that the model can take. */
    public static Reading rejected(String image, String reason) {
        return new Reading(Prediction.rejected(image, reason), new float[0]);
    }
}
