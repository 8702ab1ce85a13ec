/** ONNX Runtime as the engine of frozen backbones, found by {@code gramian-vision} through {@code ServiceLoader}. */
@NullMarked
package io.github.gramian.onnx.engine.internal;

import org.jspecify.annotations.NullMarked;
