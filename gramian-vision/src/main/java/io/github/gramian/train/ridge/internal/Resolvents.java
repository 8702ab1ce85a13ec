package io.github.gramian.train.ridge.internal;

import org.bytedeco.pytorch.Tensor;

/**
 * Q(λ) = (HGH + λI)⁻¹ without the direction 1 = (1, …, 1)ᵀ, which HGH maps to 0: what ridge regression in the dual needs
 * of its Gram matrix. If rows have weights w, the direction is √w. Results belong to the caller's scope.
 */
interface Resolvents extends AutoCloseable {

    /** Q(λ)·Y: [n, c]. */
    Tensor times(Tensor Y, double lambda);

    /** The diagonal of Q(λ): [n]. */
    Tensor diagonal(double lambda);

    /**
     * Blocks of Q(λ): [groups, k, k].
     *
     * @param rows the rows and columns of each block: [groups, k]
     */
    Tensor blocks(Tensor rows, double lambda);

    @Override
    void close();
}
