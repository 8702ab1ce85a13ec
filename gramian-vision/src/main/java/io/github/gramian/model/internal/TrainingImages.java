package io.github.gramian.model.internal;

import io.github.gramian.certainty.internal.ModelCertainty;
import io.github.gramian.dense.internal.DenseParts;
import java.util.Optional;

/**
 * What a model file stores about the images of its training.
 *
 * @param known their hashes
 * @param certainty what was learned from their descriptors and scores
 * @param photographs what was learned for maps of whole photographs, if anything
 */
public record TrainingImages(KnownImages known, ModelCertainty certainty, Optional<DenseParts> photographs) {

    /** Without maps of whole photographs. */
    public TrainingImages(KnownImages known, ModelCertainty certainty) {
        this(known, certainty, Optional.empty());
    }

    /** Of a model that was never trained. */
    public static TrainingImages none() {
        return new TrainingImages(KnownImages.none(), ModelCertainty.none());
    }
}
