package io.github.gramian.model;

/**
 * Everything that a model says of one image.
 *
 * @param probabilities of the classes, in their order; of several views, their mean
 * @param descriptor what the classifier sees; of several views, their mean
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not kept
public record Reading(float[] probabilities, float[] descriptor) {

    /** Place of the largest probability; of equal ones the first. */
    public int best() {
        int best = 0;
        for (int i = 1; i < probabilities.length; i++) {
            if (probabilities[i] > probabilities[best]) {
                best = i;
            }
        }
        return best;
    }
}
