package io.github.gramian.dense.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.certainty.internal.Temperature;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Ridge regression of class indicators on rows of few dimensions, several of which come from one photograph: W = argmin ‖Y − ZWᵀ‖²
 * + λ‖W‖² for centred rows Z. The penalty and the temperature are those with the smallest loss on rows that were left out, all
 * rows of a group at once. With H = 1/n + Z(ZᵀZ + λ)⁻¹Zᵀ, the residuals of a group without it are (I − H_gg)⁻¹ times those of
 * the fit. All tensors are in double and belong to the scope in which this was made.
 */
public final class GroupedRidge {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Penalties, relative to the sum of squares of the centred rows. */
    private static final double[] LAMBDAS = {1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1};

    /** A group that alone decides its prediction has h = 1 up to rounding. */
    private static final double MIN_RESIDUAL = 1e-9;

    private final int[] labels;
    private final int classes;
    private final List<long[][]> groupsBySize;
    private final Tensor centre;
    private final Tensor means;
    private final Tensor targets;
    private final Tensor vectors;
    private final Tensor values;
    private final Tensor projected;
    private final Tensor rotated;
    private final double scale;

    /**
     * A fitted classifier: scores = W·row + b.
     *
     * @param weight [classes, length]
     * @param bias [classes]
     * @param temperature factor of the scores in the softmax
     * @param lambda the relative penalty
     * @param accuracy share of the rows that have the right class without their group
     */
    public record Fit(Tensor weight, Tensor bias, double temperature, double lambda, double accuracy) {}

    /**
     * @param rows [rows, length]
     * @param labels index of the class of each row
     * @param groups number of the group of each row
     */
    public GroupedRidge(Tensor rows, int[] labels, int[] groups, int classes) {
        this.labels = labels.clone();
        this.classes = classes;
        this.groupsBySize = groupsBySize(groups);
        Tensor X = DOUBLE.place(rows);
        long[] classOfRow = IntStream.of(labels).asLongStream().toArray();
        this.targets = DOUBLE.place(torch.one_hot(torch.tensor(classOfRow), classes));
        this.means = targets.mean(0);
        this.centre = X.mean(0);
        Tensor Z = X.sub(centre);
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(Z.t().matmul(Z)));
        this.vectors = eigen.vectors();
        this.values = eigen.values().clamp_min(scalar(0.0));
        this.scale = values.sum().item_double();
        this.projected = vectors.t().matmul(Z.t().matmul(targets));
        this.rotated = Z.matmul(vectors);
    }

    /** For each size, the rows of every group of that size: [groups][size]. */
    private static List<long[][]> groupsBySize(int[] groups) {
        Map<Integer, List<Long>> members = new LinkedHashMap<>();
        for (int row = 0; row < groups.length; row++) {
            members.computeIfAbsent(groups[row], group -> new ArrayList<>()).add((long) row);
        }
        Map<Integer, List<long[]>> sizes = new TreeMap<>();
        for (List<Long> rows : members.values()) {
            sizes.computeIfAbsent(rows.size(), size -> new ArrayList<>())
                    .add(rows.stream().mapToLong(Long::longValue).toArray());
        }
        return sizes.values().stream().map(some -> some.toArray(long[][]::new)).toList();
    }

    /** The fit with the penalty that is best for groups that were left out. */
    public Fit fit() {
        double smallest = Double.POSITIVE_INFINITY;
        double lambda = 0;
        double temperature = 1;
        double accuracy = 0;
        for (double relative : LAMBDAS) {
            try (Scope step = Scope.open()) {
                Temperature judge = new Temperature(values(leftOut(relative)), labels, classes);
                double best = judge.best();
                double loss = judge.logLoss(best);
                if (loss < smallest) {
                    smallest = loss;
                    lambda = relative;
                    temperature = best;
                    accuracy = judge.accuracy();
                }
            }
        }
        return with(lambda, temperature, accuracy);
    }

    Fit with(double lambda, double temperature, double accuracy) {
        Tensor weight =
                vectors.matmul(shrunken(lambda).unsqueeze(1).mul(projected)).t();
        return new Fit(weight, means.sub(weight.mv(centre)), temperature, lambda, accuracy);
    }

    /** The scores of every row by a classifier without its group: [rows, classes]. */
    Tensor leftOut(double lambda) {
        Tensor shrunken = shrunken(lambda);
        Tensor residuals =
                targets.sub(means).sub(rotated.matmul(shrunken.unsqueeze(1).mul(projected)));
        Tensor found = torch.zeros_like(targets);
        for (long[][] alike : groupsBySize) {
            try (Scope step = Scope.open()) {
                int size = alike[0].length;
                Tensor flat = torch.tensor(
                        Arrays.stream(alike).flatMapToLong(Arrays::stream).toArray());
                Tensor own = rotated.index_select(0, flat).reshape(alike.length, size, values.size(0));
                Tensor hat = own.mul(shrunken).matmul(own.transpose(1, 2)).add_(scalar(1.0 / labels.length));
                Tensor left = torch.eye(size, DOUBLE.options())
                        .mul_(scalar(1 + MIN_RESIDUAL))
                        .sub(hat);
                Tensor without =
                        torch.linalg_solve(left, residuals.index_select(0, flat).reshape(alike.length, size, classes));
                found.index_copy_(0, flat, targets.index_select(0, flat).sub(without.reshape(-1, classes)));
            }
        }
        return found;
    }

    /** The sum of squares of the centred rows. */
    double scale() {
        return scale;
    }

    private Tensor shrunken(double lambda) {
        return values.add(scalar(lambda * scale)).reciprocal();
    }

    private static double[] values(Tensor scores) {
        Tensor dense = scores.contiguous();
        double[] values = new double[Math.toIntExact(dense.numel())];
        TensorBytes.memory(dense)
                .order(ByteOrder.nativeOrder())
                .asDoubleBuffer()
                .get(values);
        return values;
    }
}
