/**
 * Trained models as ONNX files. {@link io.github.gramian.onnx.OnnxExport} writes them, and {@code gramian export} calls it.
 * {@code Predictor.load} reads them.
 */
@NullMarked
package io.github.gramian.onnx;

import org.jspecify.annotations.NullMarked;
