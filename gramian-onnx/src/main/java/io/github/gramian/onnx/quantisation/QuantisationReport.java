package io.github.gramian.onnx.quantisation;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.github.gramian.onnx.runtime.Int8Target;

/**
 * A rounded file compared with the file in float.
 *
 * @param target kind of processor that the rounded file is written for
 * @param images that were judged; none of them was used to observe activations
 * @param observed images whose activations were observed
 */
public record QuantisationReport(Int8Target target, int images, int observed, Measured inFloat, Measured inInt8) {

    /**
     * One file.
     *
     * @param accuracy fraction of the images that are classified correctly
     * @param imagesPerSecond of the network alone, one image at a time, both files in turn
     */
    public record Measured(long bytes, double accuracy, double imagesPerSecond) {}

    /** Percentage points of accuracy that rounding costs. */
    @JsonProperty
    public double loss() {
        return 100 * (inFloat.accuracy() - inInt8.accuracy());
    }

    /** Whether rounding costs at most this number of points. */
    public boolean within(double maxLoss) {
        return loss() <= maxLoss;
    }
}
