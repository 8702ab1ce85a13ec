/**
 * Self-tests: the gradient check and the slope test for layers and manifolds of your own, and the check behind
 * {@code gramian doctor}, which says whether an installation computes correctly and how fast.
 */
@NullMarked
package io.github.gramian.check;

import org.jspecify.annotations.NullMarked;
