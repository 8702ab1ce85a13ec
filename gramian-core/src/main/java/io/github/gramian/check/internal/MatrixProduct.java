package io.github.gramian.check.internal;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** A product of two n×n matrices: the unit that the speed of everything else is measured in. */
public final class MatrixProduct implements Runnable, AutoCloseable {

    private final long n;
    private final Tensor A;
    private final Tensor B;
    private final Tensor product;

    public MatrixProduct(long n, Placement placement) {
        this.n = n;
        try (Scope scope = Scope.open()) {
            this.A = Scope.own(new Seed(1).normal(placement, n, n));
            this.B = Scope.own(new Seed(2).normal(placement, n, n));
            this.product = Scope.own(torch.zeros_like(A));
        }
    }

    @Override
    public void run() {
        torch.mm_out(product, A, B);
    }

    /** The same product into a separate matrix, for several threads at once. */
    void another() {
        try (Scope scope = Scope.open()) {
            A.mm(B);
        }
    }

    /** GFLOP/s of a run, from its milliseconds. */
    public double gflops(double millis) {
        return 2.0 * n * n * n / (millis * 1e6);
    }

    @Override
    public void close() {
        Scope.disown(A);
        Scope.disown(B);
        Scope.disown(product);
    }
}
