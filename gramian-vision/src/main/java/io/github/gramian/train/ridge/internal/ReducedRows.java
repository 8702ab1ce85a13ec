package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.RowBlocks;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Long descriptors on the leading principal components of a sample of them. With the Gram matrix of the sample relative to its
 * mean, HGH = U diag(μ) Uᵀ, the components are V = XᵀU diag(μ)^(−½), so that the covariance of tens of thousands of dimensions is
 * never computed. A few iterations on a random subspace find the leading eigenvectors.
 */
public final class ReducedRows {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private static final int ITERATIONS = 4;
    private static final int MORE_DIRECTIONS = 16;
    private static final long BLOCK = 256;

    /** Components below this fraction of the largest variance are rounding. */
    private static final double NO_VARIANCE = 1e-7;

    private ReducedRows() {}

    /**
     * Reduces descriptors, without labels.
     *
     * @param sample rows that the components are computed from, at least two
     * @param all rows that are reduced
     * @param dimensions the most components
     * @return up to an offset that is the same for all rows: [rows][at most dimensions]
     */
    public static float[][] of(Descriptors sample, Descriptors all, int dimensions, RidgeConfig config, Seed seed) {
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(sample, config)) {
            Tensor alpha;
            try (Blas.AllThreads span = Blas.allThreads()) {
                alpha = weights(blocks.gram(), dimensions, seed);
            }
            Tensor V = FLOAT.place(blocks.weights(alpha)).t().contiguous();
            Tensor origin = FLOAT.place(blocks.origin());
            List<float[]> reduced = new ArrayList<>();
            for (long from = 0; from < all.count(); from += BLOCK) {
                try (Scope step = Scope.open();
                        Blas.AllThreads span = Blas.allThreads()) {
                    long to = Math.min(all.count(), from + BLOCK);
                    Tensor rows = FLOAT.place(RowBlocks.checked(all.rows(from, to), from, to, all.length()));
                    reduced.addAll(List.of(HostCopy.rows(rows.sub(origin).matmul(V))));
                }
            }
            return reduced.toArray(float[][]::new);
        }
    }

    /** U diag(μ)^(−½) for the leading components: [n, k]. Its columns sum to 0, so that any origin of the rows will do. */
    private static Tensor weights(Tensor gram, int dimensions, Seed seed) {
        long n = gram.size(0);
        Tensor means = gram.mean(1);
        Tensor half = means.sub(means.mean().mul(scalar(0.5)));
        Tensor G = gram.sub(half.unsqueeze(0)).sub_(half.unsqueeze(1));
        long directions = Math.min(n, dimensions + (long) MORE_DIRECTIONS);
        Tensor Q = seed.normal(DOUBLE, n, directions);
        for (int i = 0; i < ITERATIONS; i++) {
            Q = orthonormal(G.matmul(Q));
        }
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(Q.t().matmul(G).matmul(Q)));
        Tensor values = eigen.values().flip(0);
        Tensor vectors = Q.matmul(eigen.vectors().flip(1));
        double largest = Math.max(values.select(0, 0).item_double(), Double.MIN_NORMAL);
        long rank = values.gt(scalar(NO_VARIANCE * largest)).sum().item_long();
        long kept = Math.max(1, Math.min(rank, dimensions));
        Tensor lengths = values.narrow(0, 0, kept)
                .clamp_min(scalar(largest * NO_VARIANCE))
                .sqrt();
        Tensor weights = vectors.narrow(1, 0, kept).div(lengths.unsqueeze(0));
        return weights.sub(weights.mean(0));
    }

    private static Tensor orthonormal(Tensor A) {
        return new Tensor(torch.linalg_qr(A).get0());
    }
}
