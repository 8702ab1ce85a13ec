package io.github.gramian.layer.aggregator;

import io.github.gramian.layer.Layer;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;

/**
 * A layer on feature maps [batch, C, N] that must know how the vectors at their positions are distributed before it can be
 * used: a codebook, a scale. Training shows it a sample of the training images' vectors once, before anything is learned.
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
