package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.internal.CalibrationScores;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.train.descriptor.internal.RowBlocks;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Ridge regression of Y: [n, c] on X: [n, d] with an intercept that is not penalised, solved only from the Gram matrix
 * G = XXᵀ: [n, n], for any d: minimises ‖Y − 1bᵀ − XW‖² + λ‖W‖². For few rows of many dimensions: it takes about 6 n² doubles of
 * memory in addition to the rows, and O(n³) time.
 *
 * <p>With H = I − 11ᵀ/n and HGH = U diag(μ) Uᵀ, the weights are W = Xᵀα, α = (HGH + λI)⁻¹HY, whose columns sum to 0, and b
 * = Ȳ − (1/n)1ᵀGα. One decomposition serves every λ; for a single one, factors are cheaper. It is computed in double
 * whatever the precision of G.
 *
 * <p>What a row's prediction would have been without that row in the training set follows without refitting, from the
 * residuals R = λα and the hat matrix: the residual of a row i that is left out is R_i / (1 − Ĥ_ii). Since
 * the direction 1 is dropped from U, I − Ĥ = U diag(λ/(μ + λ)) Uᵀ holds the intercept's 1/n and is a sum of positive
 * terms without cancellation. With Q = (HGH + λI)⁻¹ without the direction 1, that is α_i / Q_ii ({@link LeaveOut}).
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

    private final List<Tensor> owned = new ArrayList<>();

    /** SY. */
    private final Tensor targets;

    private final Tensor rowMeans;

    /** √w: [n, 1]; null if all weights are equal. */
    private final @Nullable Tensor roots;

    private final double scale;

    /** The only λ if the resolvent was factorised; otherwise NaN. */
    private final double onlyLambda;

    /** Q for the only λ, or the eigenvectors of HGH without the direction 1. */
    private final Tensor solved;

    /** The eigenvalues of HGH; null if there is only one λ. */
    private final @Nullable Tensor eigenvalues;

    /**
     * The solution for one λ.
     *
     * @param alpha W = Xᵀα: [n, c]
     * @param intercept b: [c]
     */
    record Solution(Tensor alpha, Tensor intercept) {}

    /** Q: what ridge regression in the dual needs of its Gram matrix. */
    private interface Resolvent extends LeaveOut.Matrix {

        /** QY: [n, c]. */
        Tensor times(Tensor Y);
    }

    /** Q from an eigendecomposition, which costs about 9n³ products for all λ. weights: 1/(μ + λ). */
    private record Spectral(Tensor vectors, Tensor weights) implements Resolvent {

        @Override
        public Tensor times(Tensor Y) {
            return vectors.matmul(vectors.t().matmul(Y).mul_(weights.unsqueeze(1)));
        }

        @Override
        public Tensor diagonal() {
            return vectors.square().mv(weights);
        }

        @Override
        public Tensor blocks(Tensor rows) {
            Tensor chosen =
                    vectors.index_select(0, rows.flatten()).reshape(rows.size(0), rows.size(1), vectors.size(1));
            return chosen.mul(weights).matmul(chosen.transpose(1, 2));
        }
    }

    /** Q as a matrix. */
    private record Inverse(Tensor Q) implements Resolvent {

        @Override
        public Tensor times(Tensor Y) {
            return Q.matmul(Y);
        }

        @Override
        public Tensor diagonal() {
            return Q.diagonal();
        }

        @Override
        public Tensor blocks(Tensor rows) {
            return LeaveOut.matrix(Q).blocks(rows);
        }
    }

    /** @param relativeLambda the only λ; NaN for any λ */
    private DualRidge(Tensor G, Tensor Y, double[] weights, double relativeLambda) {
        requireRows(G, Y);
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            CentredGram centred = CentredGram.of(DOUBLE.place(G).clone(), weights);
            double spread = centred.spread();
            // Makes √w the eigenvector of the largest eigenvalue, to be dropped.
            double shift = spread > 0 ? 2 * spread : 1.0;
            centred.move(centred.gram(), shift);
            boolean varies = spread > NO_VARIANCE * centred.size();
            this.scale = varies ? spread : centred.size() > 0 ? centred.size() : 1.0;
            this.roots = centred.roots() == null ? null : own(centred.roots().unsqueeze(1));
            Tensor targets = DOUBLE.place(Y).clone();
            this.targets = own(roots == null ? targets : targets.mul_(roots));
            this.rowMeans = own(centred.means());
            @Nullable
            Tensor inverse = Double.isNaN(relativeLambda)
                    ? null
                    : centred.inverse(shift * centred.total(), checked(relativeLambda * scale))
                            .orElse(null);
            if (inverse == null) {
                long n = G.size(0);
                Symmetric.Eigen eigen = Symmetric.eigen(centred.gram());
                this.onlyLambda = Double.NaN;
                this.solved = own(eigen.vectors().narrow(1, 0, n - 1).contiguous());
                this.eigenvalues = own(eigen.values().narrow(0, 0, n - 1).clamp_min(scalar(0.0)));
            } else {
                this.onlyLambda = relativeLambda * scale;
                this.solved = own(inverse);
                this.eigenvalues = null;
            }
        }
    }

    private Tensor own(Tensor tensor) {
        Tensor handle = Scope.own(tensor);
        owned.add(handle);
        return handle;
    }

    private static void requireRows(Tensor G, Tensor Y) {
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
    }

    /**
     * Centres and decomposes; O(n³).
     *
     * @param G symmetric, of rows that need not be centred: [n, n], n ≥ 2
     * @param Y targets: [n, c]
     * @param weights of the rows
     */
    static DualRidge decompose(Tensor G, Tensor Y, double[] weights) {
        return new DualRidge(G, Y, weights, Double.NaN);
    }

    /**
     * Centres and factorises for one λ, in a tenth of the time; decomposes if rounding leaves no factor.
     *
     * @param relativeLambda the λ that may be asked for, over {@link #scale()}; not far below 1e−10
     */
    static DualRidge factorise(Tensor G, Tensor Y, double[] weights, double relativeLambda) {
        return new DualRidge(G, Y, weights, relativeLambda);
    }

    /** The mean of the diagonal of HGH, the mean squared distance of a row from the mean row: the unit to choose λ in. */
    double scale() {
        return scale;
    }

    /** The solution for one λ &gt; 0, not relative to anything. */
    Solution solve(double lambda) {
        try (Scope scope = Scope.open()) {
            Tensor alpha = resolvent(lambda).times(targets);
            Tensor mean = targets.mean(0);
            if (roots != null) {
                alpha.mul_(roots);
                mean = targets.mul(roots).sum(0).div_(roots.square().sum());
            }
            Tensor intercept = mean.sub(rowMeans.unsqueeze(0).matmul(alpha).squeeze(0));
            return new Solution(scope.promote(alpha), scope.promote(intercept));
        }
    }

    /** The exact prediction of every row when all rows of its group are left out: [n, c]. */
    Tensor leftOut(double lambda, LeaveOut groups) {
        try (Scope scope = Scope.open()) {
            Resolvent Q = resolvent(lambda);
            Tensor predictions = targets.sub(groups.residuals(Q.times(targets), Q));
            return scope.promote(roots == null ? predictions : predictions.div_(roots));
        }
    }

    private Resolvent resolvent(double lambda) {
        checked(lambda);
        if (eigenvalues != null) {
            return new Spectral(solved, eigenvalues.add(scalar(lambda)).reciprocal());
        }
        if (lambda != onlyLambda) {
            throw new IllegalArgumentException("factors were made for λ = " + onlyLambda + ", not " + lambda);
        }
        return new Inverse(solved);
    }

    private static double checked(double lambda) {
        if (!(lambda > 0) || Double.isInfinite(lambda)) {
            throw new IllegalArgumentException("lambda must be above 0 and finite but is " + lambda);
        }
        return lambda;
    }

    @Override
    public void close() {
        owned.forEach(Scope::disown);
        owned.clear();
    }

    /** The classifier; chooses by leaving out one group at a time, such as an image with all of its versions. */
    static RidgeFit leavingOut(RidgeClassifier.Rows rows, RidgeClassifier.Task task) {
        LeaveOut groups = LeaveOut.groups(rows.groups());
        double[] ofClass = task.ofClass(rows.labels());
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(rows.rows(), task.config());
                DualRidge ridge = of(blocks.gram(), rows.labels(), ofClass, task)) {
            return ridge.fit(
                    scope, blocks, task, task.judge(rows.labels(), ofClass), lambda -> ridge.leftOut(lambda, groups));
        }
    }

    /** The classifier; chooses by validation rows. */
    static RidgeFit validated(
            RidgeClassifier.Rows training, RidgeClassifier.Rows validation, RidgeClassifier.Task task) {
        long n = training.count();
        double[] ofClass = task.ofClass(training.labels());
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(training.rows().then(validation.rows()), task.config())) {
            Tensor G = blocks.gram();
            Tensor cross = G.narrow(0, n, validation.count()).narrow(1, 0, n);
            Tensor inner = G.narrow(0, 0, n).narrow(1, 0, n);
            try (DualRidge ridge = of(inner, training.labels(), ofClass, task)) {
                return ridge.fit(scope, blocks, task, task.judge(validation.labels(), ofClass), lambda -> {
                    Solution solution = ridge.solve(lambda);
                    return cross.matmul(solution.alpha()).add(solution.intercept());
                });
            }
        }
    }

    /** Factors for a single relative λ; one decomposition for several. */
    private static DualRidge of(Tensor G, int[] labels, double[] ofClass, RidgeClassifier.Task task) {
        Tensor Y = Judge.indicators(labels, task.classes());
        double[] ofRow = Judge.weights(labels, ofClass);
        List<Double> lambdas = task.config().lambdas();
        return lambdas.size() == 1 ? factorise(G, Y, ofRow, lambdas.get(0)) : decompose(G, Y, ofRow);
    }

    /** Fits with the penalty that is best for rows that were not trained on, whose scores are given for each penalty. */
    private RidgeFit fit(
            Scope scope,
            RowBlocks blocks,
            RidgeClassifier.Task task,
            Judge judge,
            DoubleFunction<Tensor> heldOutScores) {
        List<RidgeFit.Trial> trials = new ArrayList<>();
        for (double relative : task.config().lambdas()) {
            try (Scope step = Scope.open()) {
                trials.add(judge.trial(relative, scale, heldOutScores.apply(relative * scale)));
            }
        }
        RidgeFit.Trial best = RidgeFit.Trial.best(trials, judge.independent());
        CalibrationScores heldOut;
        try (Scope step = Scope.open()) {
            heldOut = CalibrationScores.of(
                    Judge.values(heldOutScores.apply(best.lambda())), judge.labels(), task.classes());
        }
        Solution solution = solve(best.lambda());
        Tensor weight = blocks.weights(solution.alpha());
        // Weights of rows relative to the blocks' origin are those of the rows themselves with another bias.
        Tensor bias = solution.intercept().sub(weight.mv(blocks.origin()));
        return RidgeFit.of(scope, weight, bias, best, trials, heldOut);
    }
}
