package io.github.gramian.linalg;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Weighted sums over vectors that arrive in portions: how much of the data each of K groups holds, and mean and variance of
 * every dimension in each group. Products of a portion are computed in its own precision, sums over portions in double. All
 * tensors belong to the scope in which this was made.
 */
final class Moments {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Tensor mass;
    private final Tensor sum;
    private final Tensor squares;

    Moments(long groups, long dimensions) {
        this.mass = torch.zeros(new long[] {groups, 1}, DOUBLE.options());
        this.sum = torch.zeros(new long[] {groups, dimensions}, DOUBLE.options());
        this.squares = torch.zeros(new long[] {groups, dimensions}, DOUBLE.options());
    }

    /** Adds vectors [n, C] with the share [K, n] that each group has in them. */
    void add(Tensor shares, Tensor vectors) {
        mass.add_(DOUBLE.place(shares).sum(new long[] {1}, true, new ScalarTypeOptional()));
        sum.add_(DOUBLE.place(shares.matmul(vectors)));
        squares.add_(DOUBLE.place(shares.matmul(vectors.square())));
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
