/** The report on what rounding a backbone to 8-bit integers costs and gains. */
@NullMarked
package io.github.gramian.onnx.quantisation;

import org.jspecify.annotations.NullMarked;
