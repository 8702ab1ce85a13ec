/** Conformal prediction: calibration scores in, sets of classes with a guaranteed coverage out. Needs only the JDK. */
@NullMarked
package io.github.gramian.eval.conformal.internal;

import org.jspecify.annotations.NullMarked;
