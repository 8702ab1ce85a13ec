/**
 * The spaces that parameters live in. A parameter owns its {@link io.github.gramian.manifold.Manifold}, and the optimizer
 * asks it three things: the gradient along the manifold, the backward pass onto it after a step, and how a direction is
 * carried from one point to the next.
 */
@NullMarked
package io.github.gramian.manifold;

import org.jspecify.annotations.NullMarked;
