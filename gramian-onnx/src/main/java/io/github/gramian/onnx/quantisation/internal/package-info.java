/**
 * Backbones in 8-bit integers: activations are observed on images, weights and activations are rounded, and the result is used
 * only if it classifies images nearly as accurately as the model.
 */
@NullMarked
package io.github.gramian.onnx.quantisation.internal;

import org.jspecify.annotations.NullMarked;
