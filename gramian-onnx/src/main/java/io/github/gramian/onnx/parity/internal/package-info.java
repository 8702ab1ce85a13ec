/** Compares an exported file with its model: ONNX Runtime runs the file and LibTorch runs the model on the same images. */
@NullMarked
package io.github.gramian.onnx.parity.internal;

import org.jspecify.annotations.NullMarked;
