package io.github.gramian.bench;

import io.github.gramian.check.internal.MatrixProduct;
import io.github.gramian.check.internal.Rounds.Timing;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Blas;

/**
 * What the processor can compute at best: products of large matrices, as LibTorch computes them. The fastest round counts,
 * since a limit is not a typical value.
 */
record MachineLimit(MatrixProduct product) implements AutoCloseable {

    private static final long SIDE = 2048;
    private static final int PRODUCTS = 4;

    MachineLimit(Precision precision) {
        this(new MatrixProduct(SIDE, Placement.cpu(precision)));
    }

    /** One round of products, on all threads of the engine. */
    void run() {
        try (Blas.AllThreads threads = Blas.allThreads()) {
            for (int i = 0; i < PRODUCTS; i++) {
                product.run();
            }
        }
    }

    /** Floating-point operations per second, from the timing of {@link #run}. */
    double perSecond(Timing timing) {
        return 1e9 * PRODUCTS * product.gflops(timing.fastest());
    }

    @Override
    public void close() {
        product.close();
    }
}
