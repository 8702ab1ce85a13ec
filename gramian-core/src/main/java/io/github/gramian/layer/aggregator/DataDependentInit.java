package io.github.gramian.layer.aggregator;

import io.github.gramian.layer.Layer;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;

/**
 * A layer on feature maps [batch, C, N] that depends on how the vectors at their positions are distributed: a codebook,
 * a scale. Training calls {@link #fit} once with a sample of the training images' vectors, before the first step.
 */
public interface DataDependentInit extends Layer {

    /**
     * Sets parameters and statistics from a sample. The same sample and seed give the same bits.
     *
     * @param sample vectors that reach this layer, on the CPU: [n, C]
     */
    void fit(Tensor sample, Seed seed);

    /** The smallest sample that can be fitted to. */
    default int minVectors() {
        return 1;
    }
}
