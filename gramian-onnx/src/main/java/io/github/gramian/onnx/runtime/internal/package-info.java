/**
 * Exported models on ONNX Runtime, without LibTorch: {@link io.github.gramian.model.Predictor#load} finds {@link
 * io.github.gramian.onnx.runtime.internal.OnnxProvider} through {@link java.util.ServiceLoader} and decodes, cuts and names images as
 * for any other model.
 */
@NullMarked
package io.github.gramian.onnx.runtime.internal;

import org.jspecify.annotations.NullMarked;
