package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.Arrays;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The subspace that holds most of the second moment of symmetric matrices: the leading eigenvectors of the mean of
 * K: [batch, n, n] over all batches. W = leading(m) maximises tr(Wᵀ K̄ W) over WᵀW = I, which makes it a start for an SPD
 * transformation Y = WᵀKW.
 *
 * <p>Sums are computed in double and in the order of the calls, so that the same batches give the same bits. The accumulator
 * owns its sum until it is closed; what it returns belongs to the caller's scope. Not for several threads at once.
 */
public final class LeadingEigenvectors implements AutoCloseable {

    private final long size;
    private final Tensor sum;
    private long count;

    /**
     * Orthonormal directions, the largest eigenvalue first. The sign of an eigenvector is arbitrary; here its entry of
     * largest magnitude is positive.
     *
     * @param values descending: [k]
     * @param vectors orthonormal columns: [n, k]
     */
    public record Basis(Tensor values, Tensor vectors) {}

    /** For matrices of this many rows. */
    public LeadingEigenvectors(long size) {
        if (size < 1) {
            throw new IllegalArgumentException("matrices need at least one row, but the size is " + size);
        }
        this.size = size;
        try (Scope scope = Scope.open()) {
            this.sum = Scope.own(torch.zeros(
                    new long[] {size, size}, Placement.cpu(Precision.DOUBLE).options()));
        }
    }

    /** Adds the symmetric matrices of a batch, K: [batch, n, n] or one matrix [n, n]. */
    public void add(Tensor K) {
        long[] shape = K.sizes().vec().get();
        boolean fits = (shape.length == 2 || shape.length == 3)
                && shape[shape.length - 1] == size
                && shape[shape.length - 2] == size;
        if (!fits) {
            throw new IllegalArgumentException("expected matrices [batch, " + size + ", " + size + "] but got "
                    + Arrays.toString(shape) + "; open an accumulator of their size");
        }
        try (Scope scope = Scope.open()) {
            Tensor doubles = Placement.cpu(Precision.DOUBLE).place(K.detach()).reshape(-1, size, size);
            sum.add_(doubles.sum(0));
            count += doubles.size(0);
        }
    }

    /** The k leading eigenvectors and eigenvalues of the mean. The basis is orthonormal whatever the rank of the mean. */
    public Basis leading(long k) {
        if (count == 0) {
            throw new IllegalStateException("no matrix was added; add training batches before asking for a basis");
        }
        try (Scope scope = Scope.open()) {
            Basis basis = of(sum.div(scalar((double) count)), k);
            return new Basis(scope.promote(basis.values()), scope.promote(basis.vectors()));
        }
    }

    /** The k leading eigenvectors and eigenvalues of one symmetric matrix A: [n, n], computed in A's precision. */
    static Basis of(Tensor A, long k) {
        long n = A.size(0);
        if (k < 1 || k > n) {
            throw new IllegalArgumentException("a basis of " + n + " dimensions has 1.." + n + " directions, but " + k
                    + " were requested; lower the number of directions");
        }
        if (!A.isfinite().all().item_bool()) {
            throw new IllegalArgumentException("the accumulated values hold NaN or infinity; "
                    + "look for broken images or weights among what was added");
        }
        Symmetric.Eigen eigen = Symmetric.eigen(Symmetric.part(A));
        Tensor values = eigen.values().narrow(0, n - k, k).flip(0);
        Tensor vectors = eigen.vectors().narrow(1, n - k, k).flip(1);
        Tensor largest = vectors.gather(0, vectors.abs().argmax(new LongOptional(0), true));
        return new Basis(values, vectors.mul(largest.sign()).contiguous());
    }

    @Override
    public void close() {
        Scope.disown(sum);
    }
}
