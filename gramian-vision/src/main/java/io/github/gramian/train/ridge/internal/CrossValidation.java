package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.ClassesConfig.Weights;
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
 * <p>With weights of the classes, all of this holds for rows and targets times √w. The weights are those for all rows, in every
 * fold.
 *
 * <p>A penalty costs about n³ products, and each partition n³/k more for k folds. Owns its Gram matrix until it is closed.
 */
public final class CrossValidation implements AutoCloseable {

    private static final int BATCH = 32;

    /** Rows that are compared with all others at a time. */
    private static final int BLOCK = 512;

    /** A row without a direction, such as that of a blank image, is as far from all others as unrelated images are. */
    private static final double TINY = 1e-30;

    private final Tensor centred;
    private final double unit;
    private final int[] labels;
    private final int classes;
    private final Weights weighting;

    /** All rows. */
    private final Judge judge;

    private final double describeSeconds;

    private CrossValidation(Tensor centred, int[] labels, int classes, Weights weighting, double describeSeconds) {
        this.labels = labels;
        this.classes = classes;
        this.weighting = weighting;
        this.judge = new Judge(labels, classes, Judge.weights(labels, weighting.of(labels, classes)));
        this.describeSeconds = describeSeconds;
        this.centred = Scope.own(centred);
        double spread = weighted().spread();
        this.unit = spread > 0 ? spread : 1;
    }

    /** All rows, relative to their weighted mean and times √w. */
    private CentredGram weighted() {
        return weighting == Weights.NONE
                ? CentredGram.ofCentred(centred)
                : CentredGram.of(centred.clone(), judge.weights());
    }

    /** Describes all images once. */
    public static CrossValidation of(Network network, BatchSource images, RidgeConfig config) {
        return of(network, images, config, Weights.NONE);
    }

    /** The same with weights of the classes. */
    public static CrossValidation of(Network network, BatchSource images, RidgeConfig config, Weights weights) {
        return of(new NetworkDescriptors(network, images, BATCH), images.labels(), network.classes(), config, weights);
    }

    static CrossValidation of(Descriptors source, int[] labels, int classes, RidgeConfig config) {
        return of(source, labels, classes, config, Weights.NONE);
    }

    static CrossValidation of(Descriptors source, int[] labels, int classes, RidgeConfig config, Weights weights) {
        TimedDescriptors rows = new TimedDescriptors(source);
        try (Scope scope = Scope.open();
                RowBlocks blocks = new RowBlocks(rows, config)) {
            Tensor G = blocks.gram();
            CentredGram.centre(G);
            return new CrossValidation(G, labels.clone(), classes, weights, rows.seconds());
        }
    }

    /** The same for some of the rows, relative to their own mean. The caller closes it. */
    public CrossValidation some(int[] rows) {
        try (Scope scope = Scope.open()) {
            Tensor at = HostCopy.labels(rows, Placement.of(centred));
            Tensor G = centred.index_select(0, at).index_select(1, at);
            CentredGram own = CentredGram.of(G, Judge.equal(rows.length));
            return new CrossValidation(own.gram(), judge.some(rows).labels(), classes, weighting, describeSeconds);
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

    /** The weight of each row. */
    double[] weights() {
        return judge.weights();
    }

    /** Seconds that describing an image took, in the fastest block of images. */
    public double describeSeconds() {
        return describeSeconds;
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
            Tensor Y = Judge.indicators(labels, classes).mul_(Judge.roots(judge.weights()));
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
     * Q = (HGH + λI)⁻¹ without the direction 1, or √w: [n, n].
     *
     * @param relative penalty in units of {@link #unit}
     * @return empty if rounding errors of the Gram matrix exceed the penalty
     */
    Optional<Tensor> inverse(double relative) {
        try (Scope scope = Scope.open()) {
            return weighted().inverse(0, relative * unit).map(scope::promote);
        }
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
                .add(best(Judge.values(Y.narrow(0, from, size).sub(residuals)), classes));

        double[] ofRow = IntStream.of(partition.order)
                .mapToDouble(row -> judge.weights()[row])
                .toArray();
        Tensor inside = Y.sub(partition.others.get(fold).residuals(alpha.sub(X.t().matmul(z)), new Outside(Q, X)));
        double[] all = Judge.values(inside.div_(Judge.roots(ofRow)));
        double[] staying = new double[(n - size) * classes];
        System.arraycopy(all, 0, staying, 0, from * classes);
        System.arraycopy(all, (from + size) * classes, staying, from * classes, (n - from - size) * classes);
        partition.trials.get(fold).add(judge.some(partition.others(fold)).trial(relativeLambda, unit, staying));
    }

    /** Q' = Q − XᵀX. */
    private record Outside(Tensor Q, Tensor X) implements LeaveOut.Matrix {

        @Override
        public Tensor diagonal() {
            return Q.diagonal().sub(X.square().sum(0));
        }

        @Override
        public Tensor blocks(Tensor rows) {
            Tensor own = X.index_select(1, rows.flatten())
                    .reshape(-1, rows.size(0), rows.size(1))
                    .transpose(0, 1);
            return LeaveOut.matrix(Q).blocks(rows).sub(own.transpose(1, 2).matmul(own));
        }
    }

    /** In each fold the penalty that was best inside the other folds, by the rule of every fit. */
    private int[] chosen(Partition partition) {
        int[] predicted = new int[labels.length];
        for (int fold = 0; fold < partition.folds(); fold++) {
            int from = partition.borders[fold];
            int size = partition.borders[fold + 1] - from;
            List<RidgeFit.Trial> trials = partition.trials.get(fold);
            int best = trials.indexOf(RidgeFit.Trial.best(
                    trials, judge.some(partition.others(fold)).independent()));
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

    /**
     * How far each image is from the others: the mean of 1 − cosine over its nearest ones, of descriptors relative to their
     * mean.
     *
     * @param neighbours number of nearest images; fewer if there are fewer others
     * @return the distance of each image
     */
    public double[] distances(int neighbours) {
        int n = labels.length;
        int count = Math.min(neighbours, n - 1);
        double[] distances = new double[n];
        try (Scope scope = Scope.open();
                Blas.AllThreads span = Blas.allThreads()) {
            Tensor lengths = centred.diagonal().clamp_min(scalar(TINY)).sqrt();
            for (int from = 0; from < n; from += BLOCK) {
                try (Scope step = Scope.open()) {
                    int size = Math.min(BLOCK, n - from);
                    Tensor cosines = centred.narrow(0, from, size)
                            .div(lengths.narrow(0, from, size).unsqueeze(1))
                            .div(lengths.unsqueeze(0));
                    cosines.diagonal(from, 0, 1)
                            .fill_(scalar(Double.NEGATIVE_INFINITY)); // no image is its own neighbour
                    T_TensorTensor_T nearest = cosines.topk(count, 1, true, false);
                    Scope.share(nearest.get1());
                    double[] means = Judge.values(Scope.share(nearest.get0()).mean(1));
                    for (int i = 0; i < size; i++) {
                        distances[from + i] = 1 - means[i];
                    }
                }
            }
        }
        return distances;
    }

    /** One partition of the rows, sorted by fold so that a fold is a block. */
    private static final class Partition {
        final int[] order;
        final int[] borders;

        /** What each penalty gave in each fold. */
        final List<List<RidgeFit.Trial>> trials = new ArrayList<>();

        final List<List<int[]>> predicted = new ArrayList<>();

        /** The groups of the rows outside of each fold. */
        final List<LeaveOut> others = new ArrayList<>();

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
                others.add(LeaveOut.outside(sorted, borders[fold], borders[fold + 1]));
                trials.add(new ArrayList<>());
                predicted.add(new ArrayList<>());
            }
        }

        /** The rows outside of a fold, in the order of the partition. */
        int[] others(int fold) {
            return IntStream.range(0, order.length)
                    .filter(i -> i < borders[fold] || i >= borders[fold + 1])
                    .map(i -> order[i])
                    .toArray();
        }

        int folds() {
            return borders.length - 1;
        }
    }

    @Override
    public void close() {
        Scope.disown(centred);
    }
}
