package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.Blas;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import io.github.gramian.train.descriptor.internal.RowBlocks;
import io.github.gramian.train.descriptor.internal.TimedDescriptors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * What the classifier in closed form predicts for images that it was not fitted to, fold by fold, exactly and without
 * refitting: every fold of every partition follows from one Gram matrix and one inverse for each penalty.
 *
 * <p>With Q = (HGH + λI)⁻¹ without the direction 1, and α = QY ({@link DualRidge}), the residuals of the rows F of a fold that
 * is left out are Q_FF⁻¹α_F: the leave-one-out formula for a block. The remaining rows T have Q' = Q_TT − Q_TF Q_FF⁻¹ Q_FT and
 * α' = α_T − Q_TF Q_FF⁻¹ α_F, from which leaving out one row at a time <em>inside</em> them chooses the penalty of the fold:
 * no label of a fold has a part in its own prediction.
 *
 * <p>A penalty costs about n³ products, and each partition n³/k more for k folds. Owns its Gram matrix until it is closed.
 */
public final class CrossValidation implements AutoCloseable {

    private static final int BATCH = 32;

    private final Tensor centred;
    private final double unit;
    private final int[] labels;
    private final int classes;
    private final double describeSeconds;

    private CrossValidation(Tensor centred, double unit, int[] labels, int classes, double describeSeconds) {
        this.centred = Scope.own(centred);
        this.unit = unit;
        this.labels = labels;
        this.classes = classes;
        this.describeSeconds = describeSeconds;
    }

    /** Describes all images once. */
    public static CrossValidation of(Network network, BatchSource images, RidgeConfig config) {
        return of(new NetworkDescriptors(network, images, BATCH), images.labels(), network.classes(), config);
    }

    static CrossValidation of(Descriptors source, int[] labels, int classes, RidgeConfig config) {
        TimedDescriptors rows = new TimedDescriptors(source);
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(rows, config)) {
            Tensor G = blocks.gram();
            Tensor means = G.mean(1);
            Tensor half = means.sub(means.mean().mul(scalar(0.5)));
            G.sub_(half.unsqueeze(0)).sub_(half.unsqueeze(1));
            double spread = G.trace().item_double() / labels.length;
            return new CrossValidation(G, spread > 0 ? spread : 1, labels.clone(), classes, rows.seconds());
        }
    }

    /** The Gram matrix of the rows relative to their mean: [n, n], double. It belongs to this object. */
    Tensor gram() {
        return centred;
    }

    /** The unit of relative penalties: the mean squared distance of a row from the mean row. */
    double unit() {
        return unit;
    }

    int[] labels() {
        return labels;
    }

    int classes() {
        return classes;
    }

    /** Seconds that describing an image took, in the fastest block of images. */
    public double describeSeconds() {
        return describeSeconds;
    }

    /** One partition of the rows, sorted by fold so that a fold is a block. */
    private static final class Partition {
        private final int[] order;
        private final int[] borders;
        private final List<List<RidgeFit.Trial>> trials = new ArrayList<>();
        private final List<List<int[]>> predicted = new ArrayList<>();
        private final List<RowGroups> others = new ArrayList<>();

        Partition(int[] folds, int[] groups) {
            int count = Arrays.stream(folds).max().orElseThrow() + 1;
            this.order = IntStream.range(0, folds.length)
                    .boxed()
                    .sorted((a, b) -> folds[a] == folds[b] ? a - b : folds[a] - folds[b])
                    .mapToInt(Integer::intValue)
                    .toArray();
            this.borders = new int[count + 1];
            for (int fold : folds) {
                borders[fold + 1]++;
            }
            int[] sorted = IntStream.of(order).map(row -> groups[row]).toArray();
            for (int fold = 0; fold < count; fold++) {
                borders[fold + 1] += borders[fold];
                others.add(RowGroups.outside(sorted, borders[fold], borders[fold + 1]));
                trials.add(new ArrayList<>());
                predicted.add(new ArrayList<>());
            }
        }

        int folds() {
            return borders.length - 1;
        }
    }

    /**
     * The predicted class of each row by a classifier that was not fitted to its fold.
     *
     * @param partitions the fold of each row, from 0, at least two folds, none of them empty
     * @param groups the number of the group of each row; inside the other folds, a group is left out at a time
     * @param lambdas relative penalties to choose from, again in each fold
     * @return for each partition, the class of each row
     */
    public List<int[]> predict(List<int[]> partitions, int[] groups, List<Double> lambdas) {
        List<Partition> all =
                partitions.stream().map(folds -> new Partition(folds, groups)).toList();
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor Y = HeldOut.indicators(labels, classes);
            int fitted = 0;
            for (double relative : lambdas) {
                try (Scope step = Scope.open()) {
                    Optional<Tensor> inverse = inverse(relative);
                    if (inverse.isEmpty()) {
                        continue;
                    }
                    Tensor Q = inverse.get();
                    fitted++;
                    Tensor alpha = Q.matmul(Y);
                    for (Partition partition : all) {
                        leaveOutFolds(partition, Q, alpha, Y, relative);
                    }
                }
            }
            if (fitted == 0) {
                throw noPenaltyFits();
            }
        }
        return all.stream().map(this::chosen).toList();
    }

    static IllegalArgumentException noPenaltyFits() {
        return new IllegalArgumentException(
                "the images' descriptors hardly differ, so no penalty in ridge.lambdas can be fitted; add a larger"
                        + " one");
    }

    /**
     * Q = (HGH + λI)⁻¹ without the direction 1: [n, n].
     *
     * @param relative penalty in units of {@link #unit}
     * @return empty if rounding errors of the Gram matrix exceed the penalty
     */
    Optional<Tensor> inverse(double relative) {
        double lambda = relative * unit;
        Tensor A = centred.clone();
        A.diagonal().add_(scalar(lambda));
        T_TensorTensor_T factors = torch.linalg_cholesky_ex(A);
        if (Scope.share(factors.get1()).item_int() != 0) {
            return Optional.empty();
        }
        return Optional.of(
                torch.cholesky_inverse(Scope.share(factors.get0())).sub_(scalar(1 / (labels.length * lambda))));
    }

    private void leaveOutFolds(Partition partition, Tensor Q, Tensor alpha, Tensor Y, double relativeLambda) {
        try (Scope scope = Scope.open()) {
            Tensor order = HostCopy.labels(partition.order, Placement.of(Q));
            Tensor sorted = Q.index_select(0, order).index_select(1, order);
            Tensor a = alpha.index_select(0, order);
            Tensor y = Y.index_select(0, order);
            for (int fold = 0; fold < partition.folds(); fold++) {
                try (Scope step = Scope.open()) {
                    leaveOut(partition, fold, sorted, a, y, relativeLambda);
                }
            }
        }
    }

    private void leaveOut(Partition partition, int fold, Tensor Q, Tensor alpha, Tensor Y, double relativeLambda) {
        int from = partition.borders[fold];
        int size = partition.borders[fold + 1] - from;
        int n = labels.length;
        Tensor rows = Q.narrow(0, from, size);
        Tensor L = torch.linalg_cholesky(rows.narrow(1, from, size));
        Tensor X = torch.linalg_solve_triangular(L, rows, false, true, false);
        Tensor z = torch.linalg_solve_triangular(L, alpha.narrow(0, from, size), false, true, false);
        Tensor residuals = torch.linalg_solve_triangular(L.t(), z, true, true, false);
        partition
                .predicted
                .get(fold)
                .add(best(HeldOut.values(Y.narrow(0, from, size).sub(residuals)), classes));

        Tensor inside = Y.sub(residuals(Q, X, alpha.sub(X.t().matmul(z)), partition.others.get(fold)));
        double[] all = HeldOut.values(inside);
        double[] staying = new double[(n - size) * classes];
        System.arraycopy(all, 0, staying, 0, from * classes);
        System.arraycopy(all, (from + size) * classes, staying, from * classes, (n - from - size) * classes);
        int[] truths = IntStream.range(0, n)
                .filter(i -> i < from || i >= from + size)
                .map(i -> labels[partition.order[i]])
                .toArray();
        partition.trials.get(fold).add(new HeldOut(truths, classes).trial(relativeLambda, unit, staying));
    }

    /** Residuals of the rows outside of the fold when each of their groups is left out: Q'_gg⁻¹α'_g with Q' = Q − XᵀX. */
    private static Tensor residuals(Tensor Q, Tensor X, Tensor alpha, RowGroups groups) {
        if (groups.single()) {
            return alpha.div(Q.diagonal().sub(X.square().sum(0)).unsqueeze(1));
        }
        Tensor residuals = torch.zeros_like(alpha);
        for (long[][] alike : groups.sizes()) {
            try (Scope step = Scope.open()) {
                int size = alike[0].length;
                Tensor flat = Tensor.create(RowGroups.flat(alike));
                Tensor rows = flat.reshape(alike.length, size);
                Tensor places = rows.mul(scalar((double) Q.size(0)))
                        .to(torch.ScalarType.Long)
                        .unsqueeze(2)
                        .add(rows.unsqueeze(1));
                Tensor own =
                        X.index_select(1, flat).reshape(-1, alike.length, size).transpose(0, 1);
                Tensor blocks = Q.flatten()
                        .index_select(0, places.flatten())
                        .reshape(places.sizes())
                        .sub(own.transpose(1, 2).matmul(own));
                Tensor solved = torch.linalg_solve(
                        blocks, alpha.index_select(0, flat).reshape(alike.length, size, alpha.size(1)));
                residuals.index_copy_(0, flat, solved.reshape(-1, alpha.size(1)));
            }
        }
        return residuals;
    }

    /** In each fold the penalty that was best inside the other folds, by the rule of every fit. */
    private int[] chosen(Partition partition) {
        int[] predicted = new int[labels.length];
        for (int fold = 0; fold < partition.folds(); fold++) {
            int from = partition.borders[fold];
            int size = partition.borders[fold + 1] - from;
            List<RidgeFit.Trial> trials = partition.trials.get(fold);
            int best = trials.indexOf(RidgeFit.Trial.best(trials, labels.length - size));
            int[] found = partition.predicted.get(fold).get(best);
            for (int i = 0; i < size; i++) {
                predicted[partition.order[from + i]] = found[i];
            }
        }
        return predicted;
    }

    /** The class with the largest score of each row. */
    static int[] best(double[] scores, int classes) {
        int[] best = new int[scores.length / classes];
        for (int row = 0; row < best.length; row++) {
            for (int c = 1; c < classes; c++) {
                best[row] = scores[row * classes + c] > scores[row * classes + best[row]] ? c : best[row];
            }
        }
        return best;
    }

    @Override
    public void close() {
        Scope.disown(centred);
    }
}
