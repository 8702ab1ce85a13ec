/**
 * Self-tests: the gradient check and the slope test for your own layers and manifolds, and the check of
 * {@code gramian doctor}, which reports whether an installation computes correctly and how fast.
 */
@NullMarked
package io.github.gramian.check;

import org.jspecify.annotations.NullMarked;
