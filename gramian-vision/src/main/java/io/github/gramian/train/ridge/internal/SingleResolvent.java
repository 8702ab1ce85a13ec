package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import java.util.Optional;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Q(λ) for one λ by Cholesky's factors, a tenth of the cost of an eigendecomposition. */
final class SingleResolvent implements Resolvents {

    private final double lambda;
    private final Tensor inverse;

    private SingleResolvent(double lambda, Tensor inverse) {
        this.lambda = lambda;
        this.inverse = Scope.own(inverse);
    }

    /**
     * Factorises; empty if HGH + λI has no Cholesky factor. Products in float leave small negative eigenvalues in HGH, and
     * their size can exceed a small λ if rows hardly differ.
     *
     * @param shifted HGH with its direction 1, or √w, moved to an eigenvalue: [n, n]
     * @param eigenvalue that of this direction
     */
    static Optional<SingleResolvent> of(DualRidge.Centred shifted, double eigenvalue, double lambda) {
        Tensor gram = shifted.gram();
        try (Scope scope = Scope.open()) {
            Tensor A = gram.add(torch.eye(gram.size(0), Placement.of(gram).options()), scalar(lambda));
            T_TensorTensor_T factors = torch.linalg_cholesky_ex(A);
            if (Scope.share(factors.get1()).item_int() != 0) {
                return Optional.empty();
            }
            Tensor Q = torch.cholesky_inverse(Scope.share(factors.get0()));
            shifted.move(Q, -1 / (shifted.total() * (eigenvalue + lambda)));
            return Optional.of(new SingleResolvent(lambda, Q));
        }
    }

    @Override
    public Tensor times(Tensor Y, double asked) {
        return inverse(asked).matmul(Y);
    }

    @Override
    public Tensor diagonal(double asked) {
        return inverse(asked).diagonal();
    }

    @Override
    public Tensor blocks(Tensor rows, double asked) {
        Tensor places = rows.mul(scalar((double) inverse(asked).size(0)))
                .to(torch.ScalarType.Long)
                .unsqueeze(2)
                .add(rows.unsqueeze(1));
        return inverse(asked).flatten().index_select(0, places.flatten()).reshape(places.sizes());
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
