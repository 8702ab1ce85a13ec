package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * An approximate inverse of XᵀX + λI for every λ at once, from a sample of r of the n rows: with the leading k = r/2
 * principal directions V of the sample and μ = n/r times its eigenvalues,
 *
 * <pre>P(λ)⁻¹ = I + V diag((μ_k + λ)/(μ + λ) − 1) Vᵀ,</pre>
 *
 * up to a factor. Of the spread of eigenvalues from λ to μ₁ + λ, which the number of iterations grows with, about that
 * from λ to μ_k + λ is left. The second half of the sample's directions would describe the sample more than the rows.
 *
 * <p>Owns its tensors until it is closed; results belong to the caller's scope.
 */
final class SubsetPreconditioner implements AutoCloseable {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /** Rows beyond which the decomposition costs more than the iterations it saves. */
    private static final long MAX_ROWS = 3000;

    private static final long FEWEST_ROWS = 64;

    /** Directions below this fraction of the largest eigenvalue are rounding of the float products. */
    private static final double MIN = 1e-6;

    private final Tensor directions;
    private final Tensor eigenvalues;

    private SubsetPreconditioner(Tensor directions, Tensor eigenvalues) {
        this.directions = Scope.own(directions);
        this.eigenvalues = Scope.own(eigenvalues);
    }

    /** From at most a third of the rows, which with their directions take at most the given number of bytes. */
    static SubsetPreconditioner of(CentredRows X, double bytes) {
        double affordable = bytes / (1.5 * Float.BYTES * X.length());
        long rows = (long) Math.min(Math.min(MAX_ROWS, X.count() / 3.0), Math.max(FEWEST_ROWS, affordable));
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor sample = X.sample(Math.max(1, rows));
            Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(DOUBLE.place(sample.matmul(sample.t()))));
            long r = sample.size(0);
            long k = leading(eigen.values(), r);
            Tensor values = eigen.values().narrow(0, r - k, k);
            Tensor scaled = eigen.vectors().narrow(1, r - k, k).div(values.sqrt());
            Tensor V = sample.t().matmul(FLOAT.place(scaled));
            // Products in float leave V orthonormal to three digits only; the preconditioner must be positive definite.
            Tensor lower = torch.linalg_cholesky(DOUBLE.place(V.t().matmul(V)));
            Tensor straight = torch.linalg_solve_triangular(lower, torch.eye(k, DOUBLE.options()), false);
            Tensor orthonormal = V.matmul(FLOAT.place(straight.t()));
            return new SubsetPreconditioner(orthonormal, values.mul(scalar((double) X.count() / r)));
        }
    }

    /** How many directions are worth it: at most half, and none that are rounding. */
    private static long leading(Tensor ascending, long r) {
        double largest = ascending.select(0, r - 1).item_double();
        long above = ascending.gt(scalar(MIN * largest)).sum().item_long();
        return largest > 0 ? Math.min(Math.max(1, r / 2), above) : 0;
    }

    /** P(λ)⁻¹R up to a factor for each column. R: [d, q], float; lambdas: [q], double, one for each column. */
    Tensor times(Tensor R, Tensor lambdas) {
        if (eigenvalues.size(0) == 0) {
            return R.clone();
        }
        try (Scope scope = Scope.open()) {
            Tensor shifted = eigenvalues.unsqueeze(1).add(lambdas.unsqueeze(0));
            Tensor least = shifted.narrow(0, 0, 1); // eigenvalues ascend
            Tensor factors = least.div(shifted).sub(scalar(1));
            Tensor inside = directions.t().matmul(R).mul_(FLOAT.place(factors));
            return scope.promote(torch.addmm(R, directions, inside));
        }
    }

    @Override
    public void close() {
        Scope.disown(directions);
        Scope.disown(eigenvalues);
    }
}
