package io.github.gramian.bench.measure;

import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Blas;
import org.bytedeco.pytorch.Tensor;

/**
 * What the processor can compute at best: products of large matrices, as LibTorch computes them. The fastest round counts,
 * since a limit is not a typical value.
 */
final class MachineLimit implements AutoCloseable {

    private static final long SIDE = 2048;
    private static final int PRODUCTS = 4;

    private final Tensor left;
    private final Tensor right;

    MachineLimit(Precision precision) {
        try (Scope scope = Scope.open()) {
            this.left = matrix(1, precision);
            this.right = matrix(2, precision);
        }
    }

    private static Tensor matrix(long seed, Precision precision) {
        Tensor values = new Seed(seed).normal(Placement.cpu(Precision.FLOAT), SIDE, SIDE);
        return Scope.own(Placement.cpu(precision).place(values));
    }

    /** One round of products, on all threads of the engine. */
    void run() {
        try (Blas.AllThreads threads = Blas.allThreads()) {
            for (int i = 0; i < PRODUCTS; i++) {
                try (Scope scope = Scope.open()) {
                    left.mm(right);
                }
            }
        }
    }

    /** Floating-point operations per second, from the timing of {@link #run}. */
    static double perSecond(Timing timing) {
        return PRODUCTS * 2.0 * SIDE * SIDE * SIDE / (timing.fastest() / 1e3);
    }

    @Override
    public void close() {
        Scope.disown(left);
        Scope.disown(right);
    }
}
