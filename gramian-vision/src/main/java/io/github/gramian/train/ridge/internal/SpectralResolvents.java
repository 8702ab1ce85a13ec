package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;

/** Q(λ) = U diag(1/(μ + λ)) Uᵀ for any λ from one eigendecomposition, which costs about 9n³ products. */
final class SpectralResolvents implements Resolvents {

    private final Tensor vectors;
    private final Tensor values;

    /** @param shifted HGH with its direction 1 moved to the largest eigenvalue: [n, n] */
    SpectralResolvents(Tensor shifted) {
        long n = shifted.size(0);
        Symmetric.Eigen eigen = Symmetric.eigen(shifted);
        this.vectors = Scope.own(eigen.vectors().narrow(1, 0, n - 1).contiguous());
        this.values = Scope.own(eigen.values().narrow(0, 0, n - 1).clamp_min(scalar(0.0)));
    }

    @Override
    public Tensor times(Tensor Y, double lambda) {
        return vectors.matmul(vectors.t().matmul(Y).mul_(weights(lambda).unsqueeze(1)));
    }

    @Override
    public Tensor diagonal(double lambda) {
        return vectors.square().mv(weights(lambda));
    }

    @Override
    public Tensor blocks(Tensor rows, double lambda) {
        Tensor chosen = vectors.index_select(0, rows.flatten()).reshape(rows.size(0), rows.size(1), vectors.size(1));
        return chosen.mul(weights(lambda)).matmul(chosen.transpose(1, 2));
    }

    /** 1/(μ + λ): [n − 1]. */
    private Tensor weights(double lambda) {
        return values.add(scalar(lambda)).reciprocal();
    }

    @Override
    public void close() {
        Scope.disown(vectors);
        Scope.disown(values);
    }
}
