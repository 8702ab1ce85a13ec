/**
 * Backbones in 8-bit integers: activations are observed on images, weights and activations rounded, and the result is kept
 * only if it still recognises what the model does.
 */
@NullMarked
package io.github.gramian.onnx.quantisation.internal;

import org.jspecify.annotations.NullMarked;
