package io.github.gramian.train;

import io.github.gramian.dataset.Split;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A network with its final weights, and the features that it classifies: cached ones of the frozen backbone, or those of a
 * backbone that was trained with it. The network belongs to the caller; a trained backbone is closed with the model.
 *
 * @param backbone null if the frozen backbone is part of the model
 */
record TrainedModel(
        Network network, FeatureSet data, @Nullable TrainableBackbone backbone) implements AutoCloseable {

    /** Whether stage 2 has trained the backbone. */
    boolean isTuned() {
        return backbone != null;
    }

    /** Images as this model sees them. */
    BatchSource images(Split... splits) {
        return backbone == null ? data.cached(splits) : backbone.images(splits);
    }

    /** Images that a classifier in closed form is fitted to: with the recipe's copies, unless the backbone was trained. */
    BatchSource fitting(Split... splits) {
        return backbone == null ? data.fitting(splits) : data.grouped(backbone.images(splits), splits);
    }

    /** The weights of the backbone that training has changed, by name. */
    Map<String, Tensor> learned() {
        return backbone == null ? Map.of() : backbone.weights();
    }

    @Override
    public void close() {
        if (backbone != null) {
            backbone.close();
        }
    }
}
