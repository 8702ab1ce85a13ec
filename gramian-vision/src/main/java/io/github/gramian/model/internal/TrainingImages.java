package io.github.gramian.model.internal;

/**
 * What a model file stores about the images of its training.
 *
 * @param known their hashes
 * @param reference what was learned from their descriptors and scores
 */
public record TrainingImages(KnownImages known, ModelReference reference) {

    /** Of a model that was never trained. */
    public static TrainingImages none() {
        return new TrainingImages(KnownImages.none(), ModelReference.none());
    }
}
