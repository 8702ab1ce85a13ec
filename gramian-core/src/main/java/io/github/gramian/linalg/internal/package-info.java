/**
 * Mathematics on batches of symmetric matrices [..., n, n], used by every manifold and layer:
 * guarded functions of eigenvalues, the Newton–Schulz square root, and the order in which a triangle becomes a vector.
 * In addition, what training solves in closed form, principal components and leading eigenvectors of a mean matrix, and what
 * it fits by iteration to vectors: k-means and mixtures of normal distributions. Differentiable functions return a {@link
 * io.github.gramian.tensor.Pass}.
 */
@NullMarked
package io.github.gramian.linalg.internal;

import org.jspecify.annotations.NullMarked;
