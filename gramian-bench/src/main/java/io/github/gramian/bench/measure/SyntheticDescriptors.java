package io.github.gramian.bench.measure;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.descriptor.internal.Descriptors;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Descriptors of no images, with a spectrum that decays by a power law: x = Q(a ∘ (z + s·m)) with z standard normal, m
 * the mean of the row's class (standard normal in the leading {@value #SIGNAL} directions), a the amplitudes a_k =
 * k^(−decay/2), and a rotation Q, the Kronecker product of two orthogonal matrices. Without the classes, the
 * covariance has exactly the eigenvalues k^−decay. Row i has class i mod classes, and the same values whenever it is
 * asked for.
 */
final class SyntheticDescriptors implements Descriptors, AutoCloseable {

    /** Directions in which the means of classes differ, and by how much: most neighbours are distinguished, but not all. */
    private static final long SIGNAL = 1000;

    private static final double STRENGTH = 0.15;

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Seed SEED = new Seed(17);

    private final long count;
    private final long length;
    private final Tensor amplitudes;
    private final Tensor means;
    private final Tensor left;
    private final Tensor right;

    SyntheticDescriptors(long count, long length, int classes, double decay) {
        this.count = count;
        this.length = length;
        long p = (long) Math.sqrt((double) length);
        while (length % p != 0) {
            p--;
        }
        long q = length / p;
        if (q > 8192) {
            throw new IllegalArgumentException(
                    length + " dimensions are not a product of two similar integers; use another value, such as 32896");
        }
        try (Scope scope = Scope.open()) {
            this.amplitudes = Scope.own(FLOAT.place(torch.arange(scalar(1.0), scalar(length + 1.0), DOUBLE.options())
                    .pow(scalar(-decay / 2))));
            Tensor all = SEED.child("means").normal(FLOAT, classes, length).mul_(scalar(STRENGTH));
            if (length > SIGNAL) {
                all.narrow(1, SIGNAL, length - SIGNAL).zero_();
            }
            this.means = Scope.own(all);
            this.left = Scope.own(FLOAT.place(Stiefel.paper().random(DOUBLE, SEED.child("left"), p, p)));
            this.right = Scope.own(FLOAT.place(Stiefel.paper().random(DOUBLE, SEED.child("right"), q, q)));
        }
    }

    static int[] labels(int from, int to, int classes) {
        return IntStream.range(from, to).map(row -> row % classes).toArray();
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Tensor rows(long from, long to) {
        try (Scope scope = Scope.open()) {
            Tensor Z = torch.zeros(new long[] {to - from, length}, FLOAT.options());
            for (long row = from; row < to; row++) {
                try (Scope step = Scope.open()) {
                    Z.select(0, row - from)
                            .copy_(SEED.child("row").child(row).normal(FLOAT, length))
                            .add_(means.select(0, row % means.size(0)));
                }
            }
            Tensor squares = Z.mul_(amplitudes).reshape(to - from, left.size(0), right.size(0));
            return scope.promote(left.matmul(squares).matmul(right).reshape(to - from, length));
        }
    }

    @Override
    public void close() {
        for (Tensor owned : new Tensor[] {amplitudes, means, left, right}) {
            Scope.disown(owned);
        }
    }
}
