/** Trained models as ONNX files: {@code gramian export}, and inference with them on ONNX Runtime. */
@NullMarked
package io.github.gramian.onnx;

import org.jspecify.annotations.NullMarked;
