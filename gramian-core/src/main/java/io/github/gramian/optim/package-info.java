/**
 * Steps on manifolds: {@link io.github.gramian.optim.RiemannianSgd} and {@link io.github.gramian.optim.RiemannianAdam} are
 * one loop each over parameters, which know their manifold; {@link io.github.gramian.optim.internal.Plateau} lowers the learning
 * rate when the error stops falling.
 */
@NullMarked
package io.github.gramian.optim;

import org.jspecify.annotations.NullMarked;
