/** The processors that exported files are written for. */
@NullMarked
package io.github.gramian.onnx.runtime;

import org.jspecify.annotations.NullMarked;
