package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.internal.CalibrationScores;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Ridge regression on class indicators for many rows of few dimensions: from S = XᵀX = V diag(μ) Vᵀ and B = XᵀY of centred
 * rows, both summed in double as rows pass by, W = V diag(1/(μ + λ)) VᵀB for every λ.
 *
 * <p>With z = Vᵀx and hᵢᵢ = 1/n + Σ z²/(μ + λ), what the prediction of row i would be without it is yᵢ − (yᵢ − ŷᵢ)/(1 − hᵢᵢ), as in {@link
 * DualRidge}. With weights w of the rows, 1/n becomes 1/Σw, and hᵢᵢ is multiplied by wᵢ. One pass over the rows serves as many λ as their scores fit into memory.
 */
final class PrimalRidge implements AutoCloseable {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** A row that alone decides its prediction has h = 1 up to rounding. */
    private static final double MIN_RESIDUAL = 1e-12;

    /** Bytes of rows that are left out in one pass. */
    private static final long GROUP_BYTES = 256L << 20;

    private final RidgeClassifier.Task task;
    private final CentredRows X;
    private final Tensor targets;
    private final Tensor means;
    private final Tensor vectors;
    private final Tensor values;
    private final Tensor projected;
    private final LeaveOut groups;
    private final double[] weights;

    /** @param training number of rows that are fitted to; validation rows follow */
    private PrimalRidge(RidgeClassifier.Rows all, int training, RidgeClassifier.Task task) {
        this.task = task;
        this.weights = Judge.weights(all.labels(), task.ofClass(Arrays.copyOf(all.labels(), training)));
        this.groups = LeaveOut.groups(all.groups());
        this.X = new CentredRows(all.rows(), row -> row < training, weights);
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            this.targets = Scope.own(Judge.indicators(all.labels(), task.classes()));
            this.means = Scope.own(X.meanOf(targets));
            Symmetric.Eigen eigen = Symmetric.eigen(X.moments());
            this.vectors = Scope.own(eigen.vectors());
            this.values = Scope.own(eigen.values().clamp_min(scalar(0.0)));
            this.projected = Scope.own(vectors.t().matmul(X.correlation(targets)));
        }
    }

    /** Chooses by leaving out one group of rows at a time. */
    static RidgeFit leavingOut(RidgeClassifier.Rows rows, RidgeClassifier.Task task) {
        try (Scope scope = Scope.open();
                PrimalRidge ridge = new PrimalRidge(rows, rows.count(), task)) {
            int[] everyRow = IntStream.range(0, rows.count()).toArray();
            return ridge.fit(scope, everyRow, new Judge(rows.labels(), task.classes(), ridge.weights), true);
        }
    }

    /** Chooses by validation rows. */
    static RidgeFit validated(
            RidgeClassifier.Rows training, RidgeClassifier.Rows validation, RidgeClassifier.Task task) {
        RidgeClassifier.Rows all = training.then(validation);
        try (Scope scope = Scope.open();
                PrimalRidge ridge = new PrimalRidge(all, training.count(), task)) {
            int[] heldOut = IntStream.range(training.count(), all.count()).toArray();
            double[] own = Arrays.copyOfRange(ridge.weights, training.count(), all.count());
            return ridge.fit(scope, heldOut, new Judge(validation.labels(), task.classes(), own), false);
        }
    }

    private RidgeFit fit(Scope scope, int[] heldOut, Judge judge, boolean leaveOut) {
        List<RidgeFit.Trial> trials = new ArrayList<>();
        List<Double> lambdas = task.config().lambdas();
        double bytes = (double) heldOut.length * task.classes() * Double.BYTES;
        int together = (int) Math.max(1, Math.min(lambdas.size(), task.config().memoryBudget() / bytes));
        for (int first = 0; first < lambdas.size(); first += together) {
            try (Scope step = Scope.open()) {
                List<Double> some = lambdas.subList(first, Math.min(lambdas.size(), first + together));
                List<Tensor> scores = scores(some, heldOut, leaveOut);
                for (int i = 0; i < some.size(); i++) {
                    trials.add(judge.trial(some.get(i), X.scale(), scores.get(i)));
                }
            }
        }
        RidgeFit.Trial best = RidgeFit.Trial.best(trials, judge.independent());
        Tensor W = projected
                .div(values.add(scalar(best.lambda())).unsqueeze(1))
                .t()
                .matmul(vectors.t());
        Tensor chosen =
                scores(List.of(best.relativeLambda()), heldOut, leaveOut).get(0);
        return RidgeFit.of(
                scope,
                W,
                means.sub(W.mv(X.mean())),
                best,
                trials,
                CalibrationScores.of(Judge.values(chosen), judge.labels(), task.classes()));
    }

    /** Scores of rows that are held out or left out in turn, for each relative λ: [rows, classes]. */
    private List<Tensor> scores(List<Double> relative, int[] rows, boolean leaveOut) {
        long from = rows[0];
        List<Tensor> found = relative.stream()
                .map(lambda -> torch.zeros(new long[] {rows.length, task.classes()}, DOUBLE.options()))
                .toList();
        X.each(Precision.DOUBLE, rows[rows.length - 1] + 1L, (blockFrom, blockTo, block) -> {
            long first = Math.max(from, blockFrom);
            if (first >= blockTo) {
                return;
            }
            Tensor Z = block.narrow(0, first - blockFrom, blockTo - first).matmul(vectors);
            for (int i = 0; i < relative.size(); i++) {
                Tensor weights = values.add(scalar(relative.get(i) * X.scale())).reciprocal_();
                Tensor scores = Z.matmul(projected.mul(weights.unsqueeze(1))).add_(means);
                found.get(i)
                        .narrow(0, first - from, blockTo - first)
                        .copy_(leaveOut ? withoutThemselves(scores, Z, weights, first) : scores);
            }
        });
        if (leaveOut && !groups.single()) {
            leaveGroupsOut(relative, found);
        }
        return found;
    }

    /** Replaces the scores of rows that are not alone in their group; some groups per pass over the rows. */
    private void leaveGroupsOut(List<Double> relative, List<Tensor> found) {
        long rowsPerPass = Math.max(1, GROUP_BYTES / (Double.BYTES * X.length()));
        for (long[][] alike : groups.sizes()) {
            int size = alike[0].length;
            int step = (int) Math.max(1, rowsPerPass / size);
            for (int from = 0; size > 1 && from < alike.length; from += step) {
                long[][] some = Arrays.copyOfRange(alike, from, Math.min(alike.length, from + step));
                try (Scope scope = Scope.open()) {
                    leaveOut(some, relative, found);
                }
            }
        }
    }

    /**
     * The residuals of a group g, times √w, are (I − Ĥ_gg)⁻¹ times those of the fit, with Ĥ_gg = √w(1/Σw + Z diag(1/(μ + λ))
     * Zᵀ)√w.
     */
    private void leaveOut(long[][] some, List<Double> relative, List<Tensor> found) {
        int size = some[0].length;
        long[] flat = LeaveOut.flat(some);
        Tensor rows = Tensor.create(flat);
        Tensor Z = rotated(flat);
        Tensor Y = targets.index_select(0, rows);
        Tensor roots = Judge.vector(Arrays.stream(flat)
                        .mapToDouble(row -> Math.sqrt(this.weights[(int) row]))
                        .toArray())
                .reshape(some.length, size, 1);
        Tensor identity = torch.eye(size, DOUBLE.options()).mul_(scalar(1 + MIN_RESIDUAL));
        for (int i = 0; i < relative.size(); i++) {
            Tensor weights = values.add(scalar(relative.get(i) * X.scale())).reciprocal_();
            Tensor residuals =
                    Y.sub(Z.matmul(projected.mul(weights.unsqueeze(1))).add_(means));
            Tensor own = Z.reshape(some.length, size, Z.size(1));
            Tensor hat = own.mul(weights)
                    .matmul(own.transpose(1, 2))
                    .add_(scalar(1.0 / X.total()))
                    .mul_(roots)
                    .mul_(roots.transpose(1, 2));
            Tensor left = torch.linalg_solve(
                    identity.sub(hat),
                    residuals.reshape(some.length, size, residuals.size(1)).mul(roots));
            found.get(i).index_copy_(0, rows, Y.sub(left.div_(roots).reshape(-1, residuals.size(1))));
        }
    }

    /** Some rows relative to the mean, times V. */
    private Tensor rotated(long[] some) {
        Tensor Z = torch.zeros(new long[] {some.length, X.length()}, DOUBLE.options());
        X.each(Precision.DOUBLE, X.rows(), (from, to, block) -> {
            int[] here = IntStream.range(0, some.length)
                    .filter(i -> some[i] >= from && some[i] < to)
                    .toArray();
            if (here.length > 0) {
                long[] places =
                        IntStream.of(here).mapToLong(i -> some[i] - from).toArray();
                Z.index_copy_(
                        0,
                        Tensor.create(IntStream.of(here).asLongStream().toArray()),
                        block.index_select(0, Tensor.create(places)).matmul(vectors));
            }
        });
        return Z;
    }

    private Tensor withoutThemselves(Tensor scores, Tensor Z, Tensor weights, long first) {
        Tensor Y = targets.narrow(0, first, scores.size(0));
        Tensor own = Judge.vector(Arrays.copyOfRange(this.weights, (int) first, (int) (first + scores.size(0))));
        Tensor left = Z.square()
                .mv(weights)
                .add_(scalar(1.0 / X.total()))
                .mul_(own)
                .neg_()
                .add_(scalar(1));
        return Y.sub(Y.sub(scores).div_(left.clamp_min(scalar(MIN_RESIDUAL)).unsqueeze(1)));
    }

    @Override
    public void close() {
        X.close();
        for (Tensor owned : Arrays.asList(targets, means, vectors, values, projected)) {
            Scope.disown(owned);
        }
    }
}
