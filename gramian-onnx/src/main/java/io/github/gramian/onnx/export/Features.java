package io.github.gramian.onnx.export;

import io.github.gramian.onnx.graph.Value;

/**
 * Feature maps of a batch.
 *
 * @param value [batch, channels, side, side]
 */
record Features(Value value, int channels, int side) {

    /** N: positions of a map. */
    long positions() {
        return (long) side * side;
    }
}
