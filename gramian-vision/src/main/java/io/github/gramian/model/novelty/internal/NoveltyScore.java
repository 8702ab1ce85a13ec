package io.github.gramian.model.novelty.internal;

/** A number that is larger, the less an image is like the training images; computed from its descriptor. */
public sealed interface NoveltyScore permits NearestPrototypes, LikelihoodRatio {

    /**
     * The score of an image.
     *
     * @param descriptor finite
     */
    float score(float[] descriptor);

    /** Dimensions of a sketch. */
    int size();

    /** Number of principal components. */
    int rank();

    /** Number of training images that the score is made of. */
    int images();

    /** Refuses NaN and infinity. */
    static float[] finite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a value of the novelty reference is " + value);
            }
        }
        return values;
    }
}
