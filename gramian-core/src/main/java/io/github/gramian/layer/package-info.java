/**
 * The layers of the head, each with its forward and backward computation written manually: 1×1 convolution, SPD
 * transformation, vectorisation, normalisation, classifier, loss. Kernels and kernel aggregation are in {@code
 * layer.kernel}; pooling and codebooks, which take the kernel's place, in {@code layer.aggregator}.
 *
 * <p>Shapes: features M are [batch, C, N], a channel a row; K and Y are [batch, n, n], symmetric; descriptors V are [batch,
 * length]. A layer holds parameters but no state of a computation: that is in the {@link
 * io.github.gramian.tensor.Pass}. Gradients are exact unless {@link io.github.gramian.layer.Fidelity#PAPER} is asked
 * for.
 */
@NullMarked
package io.github.gramian.layer;

import org.jspecify.annotations.NullMarked;
