package io.github.gramian.backbone;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import org.jspecify.annotations.Nullable;

/**
 * How a backbone is run: on which device, in which precision, and which of its layers learn.
 *
 * @param placement device, and the precision of activations; trainable weights stay in float even if that is lower
 * @param foldBatchNorm whether the batch-norms of frozen layers are multiplied into their convolutions; the same function
 *     with other rounding, and faster
 * @param trainableFrom the first layer (by tap name) whose weights receive gradients; null when all is frozen
 */
public record BackboneOptions(
        Placement placement,
        boolean foldBatchNorm,
        @Nullable String trainableFrom) {

    /** Everything frozen and folded, on the CPU: for feature extraction. */
    public static BackboneOptions frozen(Precision precision) {
        return new BackboneOptions(Placement.cpu(precision), true, null);
    }

    /** The same, with gradients for this layer and all after it. */
    public BackboneOptions trainableFrom(String layer) {
        return new BackboneOptions(placement, foldBatchNorm, layer);
    }

    /** The same with batch-norm computed as it stands. */
    public BackboneOptions unfolded() {
        return new BackboneOptions(placement, false, trainableFrom);
    }
}
