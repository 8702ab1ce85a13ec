package io.github.gramian.onnx.export;

import io.github.gramian.onnx.graph.Value;

/**
 * M: what aggregators take.
 *
 * @param value [batch, channels, positions]
 */
record FeatureMatrix(Value value, int channels, long positions) {}
