/**
 * The spaces that parameters live in. A parameter owns its {@link io.github.gramian.manifold.Manifold}, and the optimizer
 * asks it for three things: the gradient along the manifold, the retraction after a step, and the transport of a
 * direction from one point to the next.
 */
@NullMarked
package io.github.gramian.manifold;

import org.jspecify.annotations.NullMarked;
