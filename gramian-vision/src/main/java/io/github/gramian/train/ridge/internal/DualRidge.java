package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import java.util.Arrays;
import java.util.function.Function;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Ridge regression of Y: [n, c] on X: [n, d] with an intercept that is not penalised, solved only from the Gram matrix
 * G = XXᵀ: [n, n], for any d: minimises ‖Y − 1bᵀ − XW‖² + λ‖W‖².
 *
 * <p>With H = I − 11ᵀ/n and HGH = U diag(μ) Uᵀ, the weights are W = Xᵀα, α = (HGH + λI)⁻¹HY, whose columns sum to 0, and b
 * = Ȳ − (1/n)1ᵀGα. One decomposition serves every λ; for a single one, factors are cheaper. It is computed in double
 * whatever the precision of G.
 *
 * <p>What a row's prediction would have been without that row in the training set follows without refitting, from the
 * residuals R = λα and the hat matrix: the residual of a row i that is left out is R_i / (1 − Ĥ_ii). Since
 * the direction 1 is dropped from U, I − Ĥ = U diag(λ/(μ + λ)) Uᵀ holds the intercept's 1/n and is a sum of positive
 * terms without cancellation.
 *
 * <p>With weights w of the rows and S = diag(√w), the same holds for SX and SY: it minimises Σ wᵢ‖yᵢ − b − xᵢW‖² + λ‖W‖². Means are
 * weighted, the direction that is dropped is √w instead of 1, α is for SX, and a residual that is left out is divided by √wᵢ.
 *
 * <p>Owns its tensors until it is closed; results belong to the caller's scope.
 */
final class DualRidge implements AutoCloseable {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Below this fraction of the size of the rows, what is left after centring is rounding. */
    private static final double NO_VARIANCE = 1e-13;

    /** SY. */
    private final Tensor targets;

    private final Tensor rowMeans;

    /** √w: [n, 1]; null if all weights are equal. */
    private final @Nullable Tensor roots;

    private final Resolvents resolvents;
    private final double scale;

    /**
     * The solution for one λ.
     *
     * @param alpha W = Xᵀα: [n, c]
     * @param intercept b: [c]
     */
    record Solution(Tensor alpha, Tensor intercept) {}

    private DualRidge(Tensor targets, Centred centred, Resolvents resolvents, double scale) {
        this.roots = centred.roots == null ? null : Scope.own(centred.roots.unsqueeze(1));
        this.targets = Scope.own(roots == null ? targets : targets.mul_(roots));
        this.rowMeans = Scope.own(centred.means);
        this.resolvents = resolvents;
        this.scale = scale;
    }

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
    record Centred(
            Tensor gram,
            Tensor means,
            double size,
            double spread,
            double total,
            @Nullable Tensor roots) {

        /** Centres in place. G: [n, n], double. */
        static Centred of(Tensor G, double[] weights) {
            int n = weights.length;
            if (Arrays.stream(weights).allMatch(weight -> weight == 1)) {
                double size = G.trace().item_double() / n;
                Tensor means = G.mean(1);
                centre(G, means, means.mean());
                return new Centred(G, means, size, G.trace().item_double() / n, n, null);
            }
            Tensor w = HeldOut.vector(weights);
            double total = w.sum().item_double();
            double size = G.diagonal().dot(w).item_double() / total;
            Tensor means = G.mv(w).div_(scalar(total));
            centre(G, means, means.dot(w).div(scalar(total)));
            Tensor roots = w.sqrt();
            G.mul_(roots.unsqueeze(0)).mul_(roots.unsqueeze(1));
            return new Centred(G, means, size, G.trace().item_double() / total, total, roots);
        }

        private static void centre(Tensor G, Tensor means, Tensor mean) {
            Tensor half = means.sub(mean.mul(scalar(0.5)));
            G.sub_(half.unsqueeze(0)).sub_(half.unsqueeze(1));
        }

        /** Adds a multiple of √w√wᵀ, which changes the eigenvalue of the direction √w by Σw times that. */
        void move(Tensor matrix, double by) {
            if (roots == null) {
                matrix.add_(scalar(by));
            } else {
                matrix.addr_(roots, roots, scalar(1.0), scalar(by));
            }
        }
    }

    /** Makes resolvents of a matrix whose direction √w was moved to an eigenvalue; scale is the unit of λ. */
    @FunctionalInterface
    private interface Solver {
        Resolvents of(Centred shifted, double eigenvalue, double scale);
    }

    /**
     * Centres and decomposes; O(n³).
     *
     * @param G symmetric, of rows that need not be centred: [n, n], n ≥ 2
     * @param Y targets: [n, c]
     */
    static DualRidge decompose(Tensor G, Tensor Y) {
        return decompose(G, Y, HeldOut.equal(Math.toIntExact(G.size(0))));
    }

    /** The same with a weight of each row. */
    static DualRidge decompose(Tensor G, Tensor Y, double[] weights) {
        return centred(G, Y, weights, (shifted, eigenvalue, scale) -> new SpectralResolvents(shifted.gram));
    }

    /**
     * Centres and factorises for one λ, in a tenth of the time; decomposes if rounding leaves no factor.
     *
     * @param relativeLambda the λ that may be asked for, over {@link #scale()}; not far below 1e−10
     */
    static DualRidge factorise(Tensor G, Tensor Y, double relativeLambda) {
        return factorise(G, Y, HeldOut.equal(Math.toIntExact(G.size(0))), relativeLambda);
    }

    /** The same with a weight of each row. */
    static DualRidge factorise(Tensor G, Tensor Y, double[] weights, double relativeLambda) {
        return centred(
                G,
                Y,
                weights,
                (shifted, eigenvalue, scale) -> SingleResolvent.of(shifted, eigenvalue, checked(relativeLambda * scale))
                        .<Resolvents>map(Function.identity())
                        .orElseGet(() -> new SpectralResolvents(shifted.gram)));
    }

    private static DualRidge centred(Tensor G, Tensor Y, double[] weights, Solver solver) {
        long n = G.size(0);
        if (n < 2 || G.dim() != 2 || G.size(1) != n || Y.dim() != 2 || Y.size(0) != n) {
            throw new IllegalArgumentException(
                    "ridge regression needs at least 2 rows, a square Gram matrix and as many"
                            + " targets as rows, but the Gram matrix has " + n + " rows and there are " + Y.size(0)
                            + " targets; add training rows");
        }
        if (!G.isfinite().all().item_bool() || !Y.isfinite().all().item_bool()) {
            throw new IllegalArgumentException("the Gram matrix or the targets hold NaN or infinity; "
                    + "look for broken images or weights among the training rows");
        }
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Centred centred = Centred.of(DOUBLE.place(G).clone(), weights);
            double spread = centred.spread;
            // Makes √w the eigenvector of the largest eigenvalue, to be dropped.
            double shift = spread > 0 ? 2 * spread : 1.0;
            centred.move(centred.gram, shift);
            boolean varies = spread > NO_VARIANCE * centred.size;
            double scale = varies ? spread : centred.size > 0 ? centred.size : 1.0;
            Resolvents resolvents = solver.of(centred, shift * centred.total, scale);
            return new DualRidge(DOUBLE.place(Y).clone(), centred, resolvents, scale);
        }
    }

    /** The mean of the diagonal of HGH, the mean squared distance of a row from the mean row: the unit to choose λ in. */
    double scale() {
        return scale;
    }

    /** The solution for one λ &gt; 0, not relative to anything. */
    Solution solve(double lambda) {
        try (Scope scope = Scope.open()) {
            Tensor alpha = roots == null ? alpha(lambda) : alpha(lambda).mul_(roots);
            Tensor mean = roots == null
                    ? targets.mean(0)
                    : targets.mul(roots).sum(0).div_(roots.square().sum());
            Tensor intercept = mean.sub(rowMeans.unsqueeze(0).matmul(alpha).squeeze(0));
            return new Solution(scope.promote(alpha), scope.promote(intercept));
        }
    }

    /** The exact leave-one-out prediction of every row: [n, c]. */
    Tensor leaveOneOut(double lambda) {
        try (Scope scope = Scope.open()) {
            Tensor diagonal = resolvents.diagonal(checked(lambda)).unsqueeze(1);
            return scope.promote(predictions(alpha(lambda).div(diagonal)));
        }
    }

    /**
     * The exact prediction of every row when all rows of its group are left out: [n, c]. The residuals of a group g are
     * Q_gg⁻¹α_g.
     */
    Tensor leaveGroupsOut(double lambda, RowGroups groups) {
        if (groups.single()) {
            return leaveOneOut(lambda);
        }
        try (Scope scope = Scope.open()) {
            Tensor alpha = alpha(lambda);
            Tensor residuals = torch.empty_like(alpha);
            for (long[][] alike : groups.sizes()) {
                try (Scope step = Scope.open()) {
                    int size = alike[0].length;
                    Tensor flat = Tensor.create(RowGroups.flat(alike));
                    Tensor blocks = resolvents.blocks(flat.reshape(alike.length, size), checked(lambda));
                    Tensor own = alpha.index_select(0, flat).reshape(alike.length, size, targets.size(1));
                    residuals.index_copy_(
                            0, flat, torch.linalg_solve(blocks, own).reshape(-1, targets.size(1)));
                }
            }
            return scope.promote(predictions(residuals));
        }
    }

    /** From residuals of SY to predictions of Y. */
    private Tensor predictions(Tensor residuals) {
        Tensor predictions = targets.sub(residuals);
        return roots == null ? predictions : predictions.div_(roots);
    }

    private Tensor alpha(double lambda) {
        return resolvents.times(targets, checked(lambda));
    }

    private static double checked(double lambda) {
        if (!(lambda > 0) || Double.isInfinite(lambda)) {
            throw new IllegalArgumentException("lambda must be above 0 and finite but is " + lambda);
        }
        return lambda;
    }

    @Override
    public void close() {
        resolvents.close();
        Scope.disown(targets);
        Scope.disown(rowMeans);
        if (roots != null) {
            Scope.disown(roots);
        }
    }
}
