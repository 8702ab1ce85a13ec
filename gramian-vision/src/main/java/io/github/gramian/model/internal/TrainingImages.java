package io.github.gramian.model.internal;

import io.github.gramian.certainty.internal.ModelCertainty;

/**
 * What a model file stores about the images of its training.
 *
 * @param known their hashes
 * @param certainty what was learned from their descriptors and scores
 */
public record TrainingImages(KnownImages known, ModelCertainty certainty) {

    /** Of a model that was never trained. */
    public static TrainingImages none() {
        return new TrainingImages(KnownImages.none(), ModelCertainty.none());
    }
}
