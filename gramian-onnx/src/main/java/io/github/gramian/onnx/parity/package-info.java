/** The report on how closely an exported file agrees with its model. */
@NullMarked
package io.github.gramian.onnx.parity;

import org.jspecify.annotations.NullMarked;
