/** Whether an exported file computes what the model does: both run the same images, ONNX Runtime the one and LibTorch the other. */
@NullMarked
package io.github.gramian.onnx.parity;

import org.jspecify.annotations.NullMarked;
