package io.github.gramian.backbone;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import org.jspecify.annotations.Nullable;

/**
 * How a backbone is run: on which device, in which precision, and which of its layers learn.
 *
 * @param placement device, and the precision of activations; trainable weights are in float even if it is lower
 * @param foldBatchNorm whether the batch-norms of frozen layers are multiplied into their convolutions; the same function
 *     with other rounding, and faster
 * @param trainableFrom the first layer (by tap name) whose weights receive gradients; null when all is frozen
 * @param libTorchOnly whether LibTorch computes everything, also where a faster engine is installed; see {@link #plain}
 */
public record BackboneOptions(
        Placement placement,
        boolean foldBatchNorm,
        @Nullable String trainableFrom,
        boolean libTorchOnly) {

    /** With a faster engine than LibTorch where one is installed and can compute the same. */
    public BackboneOptions(Placement placement, boolean foldBatchNorm, @Nullable String trainableFrom) {
        this(placement, foldBatchNorm, trainableFrom, false);
    }

    /** Everything frozen and folded, on the CPU: for feature extraction. */
    public static BackboneOptions frozen(Precision precision) {
        return new BackboneOptions(Placement.cpu(precision), true, null);
    }

    /** The same, with gradients for this layer and all after it. */
    public BackboneOptions trainableFrom(String layer) {
        return new BackboneOptions(placement, foldBatchNorm, layer, libTorchOnly);
    }

    /** The same with batch-norm computed as it stands. */
    public BackboneOptions unfolded() {
        return new BackboneOptions(placement, false, trainableFrom, libTorchOnly);
    }

    /**
     * The same with LibTorch alone. If the module gramian-onnx is on the class path, ONNX Runtime computes the features of frozen
     * networks in float on the CPU. They differ from LibTorch's by rounding.
     */
    public BackboneOptions plain() {
        return new BackboneOptions(placement, foldBatchNorm, trainableFrom, true);
    }

    /** Whether another engine may compute the features: only in float on the CPU, with weights that never change. */
    boolean allowsOtherEngine() {
        return !libTorchOnly
                && trainableFrom == null
                && foldBatchNorm
                && placement.equals(Placement.cpu(Precision.FLOAT));
    }
}
