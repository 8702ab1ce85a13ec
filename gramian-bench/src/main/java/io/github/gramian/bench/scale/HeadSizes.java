package io.github.gramian.bench.scale;

import io.github.gramian.bench.measure.HeadBenchmark;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.model.config.HeadConfig;

/**
 * Everything that the cost of a head depends on.
 *
 * @param channels C
 * @param outputDim C′
 * @param positions N
 * @param batch images
 * @param classes outputs of the classifier
 */
public record HeadSizes(int channels, int outputDim, int positions, int batch, int classes) {

    /**
     * Floating-point operations of the matrix products of a step, forward and backward, none halved by symmetry: per image
     * 2(2C²N + 3C²C′ + 2CC′²) in the head and 6·classes·C′(C′+1)/2 in the classifier.
     */
    public double flops() {
        double m = outputDim;
        return batch * (HeadBenchmark.flopsOfImage(channels, m, positions) + 3 * classes * m * (m + 1));
    }

    HeadSizes with(Axis axis, int value) {
        return new HeadSizes(
                axis == Axis.CHANNELS ? value : channels,
                axis == Axis.OUTPUT ? value : outputDim,
                axis == Axis.POSITIONS ? value : positions,
                axis == Axis.BATCH ? value : batch,
                axis == Axis.CLASSES ? value : classes);
    }

    /** The head of these sizes, gradients exact. */
    HeadConfig config() {
        return HeadConfig.standard(channels, 0, outputDim, classes, Fidelity.EXACT);
    }
}
