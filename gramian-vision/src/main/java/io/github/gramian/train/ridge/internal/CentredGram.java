package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import java.util.Arrays;
import java.util.Optional;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * A Gram matrix relative to the weighted mean of the rows, which are multiplied by √w.
 *
 * @param gram S H G Hᵀ S: [n, n]
 * @param means inner products of each row with the mean row: [n]
 * @param size mean squared length of a row
 * @param spread mean squared distance of a row from the mean row
 * @param total Σw
 * @param roots √w, which {@code gram} maps to 0: [n]; null if all weights are 1
 */
record CentredGram(
        Tensor gram,
        Tensor means,
        double size,
        double spread,
        double total,
        @Nullable Tensor roots) {

    /** Centres in place. G: [n, n], double. */
    static CentredGram of(Tensor G, double[] weights) {
        int n = weights.length;
        if (Arrays.stream(weights).allMatch(weight -> weight == 1)) {
            double size = G.trace().item_double() / n;
            Tensor means = centre(G);
            return new CentredGram(G, means, size, G.trace().item_double() / n, n, null);
        }
        Tensor w = Judge.vector(weights);
        double total = w.sum().item_double();
        double size = G.diagonal().dot(w).item_double() / total;
        Tensor means = G.mv(w).div_(scalar(total));
        centre(G, means, means.dot(w).div(scalar(total)));
        Tensor roots = w.sqrt();
        G.mul_(roots.unsqueeze(0)).mul_(roots.unsqueeze(1));
        return new CentredGram(G, means, size, G.trace().item_double() / total, total, roots);
    }

    /** Makes a Gram matrix relative to the mean row, in place; returns the inner products of each row with that row. */
    static Tensor centre(Tensor G) {
        Tensor means = G.mean(1);
        centre(G, means, means.mean());
        return means;
    }

    private static void centre(Tensor G, Tensor means, Tensor mean) {
        Tensor half = means.sub(mean.mul(scalar(0.5)));
        G.sub_(half.unsqueeze(0)).sub_(half.unsqueeze(1));
    }

    /** The Gram matrix of rows whose mean is 0. */
    static CentredGram ofCentred(Tensor G) {
        long n = G.size(0);
        double spread = G.trace().item_double() / n;
        Tensor means = torch.zeros(new long[] {n}, Placement.of(G).options());
        return new CentredGram(G, means, spread, spread, n, null);
    }

    /** Adds a multiple of √w√wᵀ, which changes the eigenvalue of the direction √w by Σw times that. */
    void move(Tensor matrix, double by) {
        if (roots == null) {
            matrix.add_(scalar(by));
        } else {
            matrix.addr_(roots, roots, scalar(1.0), scalar(by));
        }
    }

    /**
     * Q = (gram + λI)⁻¹ without the direction √w, by Cholesky's factors.
     *
     * @param eigenvalue that of the direction √w in {@code gram}: 0 unless it was moved
     * @return empty if there is no factor. Products in float leave small negative eigenvalues in the Gram matrix, and their
     *     size can exceed a small λ if rows hardly differ
     */
    Optional<Tensor> inverse(double eigenvalue, double lambda) {
        try (Scope scope = Scope.open()) {
            Tensor A = gram.clone();
            A.diagonal().add_(scalar(lambda));
            T_TensorTensor_T factors = torch.linalg_cholesky_ex(A);
            if (Scope.share(factors.get1()).item_int() != 0) {
                return Optional.empty();
            }
            Tensor Q = torch.cholesky_inverse(Scope.share(factors.get0()));
            move(Q, -1 / (total * (eigenvalue + lambda)));
            return Optional.of(scope.promote(Q));
        }
    }
}
