package io.github.gramian.onnx.export.internal;

import io.github.gramian.onnx.graph.internal.Value;

/**
 * Feature maps of a batch.
 *
 * @param value [batch, channels, side, side]; between the layers of a vision transformer [batch, tokens, channels]
 */
record Features(Value value, int channels, int side) {

    /** Other values of the same shape. */
    Features with(Value other) {
        return new Features(other, channels, side);
    }

    /** N: positions of a map. */
    long positions() {
        return (long) side * side;
    }
}
