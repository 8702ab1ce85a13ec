package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.CpuWorkers;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Weighted sums over vectors that arrive in portions: how much of the data each of K groups holds, and mean and variance of
 * every dimension in each group. Products of a portion are computed in its own precision, sums over portions in double. All
 * tensors belong to the scope in which this was made.
 *
 * <p>Portions are small enough for the cache of a core, and {@link CpuWorkers} process them in parallel; always the same
 * portions are summed in the same order, whatever the number of threads.
 */
final class Moments {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private static final long PORTION = 1 << 12;
    private static final int TASKS = 8;

    private final Tensor mass;
    private final Tensor sum;
    private final Tensor squares;

    /** How much each of K groups has in some of the vectors. */
    interface Shares {

        /**
         * [K, m] for vectors first, …, first + m − 1.
         *
         * @param portion these vectors: [m, C]
         */
        Tensor of(Tensor portion, long first);
    }

    private Moments(long groups, long dimensions) {
        this.mass = torch.zeros(new long[] {groups, 1}, DOUBLE.options());
        this.sum = torch.zeros(new long[] {groups, dimensions}, DOUBLE.options());
        this.squares = torch.zeros(new long[] {groups, dimensions}, DOUBLE.options());
    }

    /** Of all vectors [n, C]. */
    static Moments of(Tensor vectors, long groups, Shares shares) {
        long count = vectors.size(0);
        int portions = (int) ((count + PORTION - 1) / PORTION);
        int tasks = Math.min(portions, TASKS);
        Moments[] parts = new Moments[tasks];
        for (int task = 0; task < tasks; task++) {
            parts[task] = new Moments(groups, vectors.size(1));
        }
        CpuWorkers.run(tasks, task -> {
            for (int i = task * portions / tasks; i < (task + 1) * portions / tasks; i++) {
                try (Scope scope = Scope.open()) {
                    long first = i * PORTION;
                    Tensor portion = vectors.narrow(0, first, Math.min(PORTION, count - first));
                    parts[task].add(shares.of(portion, first), portion);
                }
            }
        });
        for (int task = 1; task < tasks; task++) {
            parts[0].add(parts[task]);
        }
        return parts[0];
    }

    private void add(Tensor shares, Tensor vectors) {
        mass.add_(DOUBLE.place(shares.sum(new long[] {1}, true, new ScalarTypeOptional())));
        sum.add_(DOUBLE.place(shares.matmul(vectors)));
        squares.add_(DOUBLE.place(shares.matmul(vectors.square())));
    }

    private void add(Moments more) {
        mass.add_(more.mass);
        sum.add_(more.sum);
        squares.add_(more.squares);
    }

    /** The weight of all vectors in each group: [K, 1]. */
    Tensor mass() {
        return mass;
    }

    /** The mean of each group: [K, C]; zero for one without vectors. */
    Tensor means() {
        return sum.div(positiveMass());
    }

    /** The variance of every dimension in each group: [K, C], never negative. */
    Tensor variances() {
        return squares.div(positiveMass()).sub(means().square()).clamp_min(scalar(0.0));
    }

    private Tensor positiveMass() {
        return mass.clamp_min(scalar(1e-30));
    }
}
