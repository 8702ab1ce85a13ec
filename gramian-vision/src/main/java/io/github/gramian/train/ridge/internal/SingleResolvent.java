package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Q(λ) for one λ by Cholesky's factors, a tenth of the cost of an eigendecomposition. */
final class SingleResolvent implements Resolvents {

    private final double lambda;
    private final Tensor inverse;

    /**
     * @param shifted HGH with its direction 1 moved to an eigenvalue: [n, n]
     * @param eigenvalue that of the direction 1
     */
    SingleResolvent(Tensor shifted, double eigenvalue, double lambda) {
        this.lambda = lambda;
        long n = shifted.size(0);
        Tensor A = shifted.add(torch.eye(n, Placement.of(shifted).options()), scalar(lambda));
        Tensor Q = torch.cholesky_inverse(torch.linalg_cholesky(A));
        this.inverse = Scope.own(Q.sub_(scalar(1 / (n * (eigenvalue + lambda)))));
    }

    @Override
    public Tensor times(Tensor Y, double asked) {
        return inverse(asked).matmul(Y);
    }

    @Override
    public Tensor diagonal(double asked) {
        return inverse(asked).diagonal();
    }

    private Tensor inverse(double asked) {
        if (asked != lambda) {
            throw new IllegalArgumentException("factors were made for λ = " + lambda + ", not " + asked);
        }
        return inverse;
    }

    @Override
    public void close() {
        Scope.disown(inverse);
    }
}
