package io.github.gramian.onnx.export.internal;

import io.github.gramian.onnx.graph.internal.Value;

/**
 * M: what aggregators take.
 *
 * @param value [batch, channels, positions]
 */
record FeatureMatrix(Value value, int channels, long positions) {}
