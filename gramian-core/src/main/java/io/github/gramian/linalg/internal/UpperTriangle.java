package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * The order in which the upper triangle of an n×n matrix becomes a vector of n(n+1)/2 dimensions: row by row, each row from
 * its diagonal to the right, (0,0) (0,1) … (0,n−1) (1,1) … (n−1,n−1).
 *
 * <p>Classifiers and stored descriptors depend on the order, so it carries a {@link #ORDER_VERSION} that is saved with
 * them and rises should the order ever change.
 */
public final class UpperTriangle implements AutoCloseable {

    /** The version of the order described above. */
    public static final int ORDER_VERSION = 1;

    private final long n;
    private final Tensor gatherIndex;
    private final Tensor scatterIndex;

    /** For n×n matrices on one device. */
    public UpperTriangle(long n, String device) {
        if (n < 1 || n > 32_768) {
            throw new IllegalArgumentException("a triangle needs a matrix size in 1..32768 but got " + n);
        }
        this.n = n;
        try (Scope scope = Scope.open()) {
            int[] rowMajor = new int[Math.toIntExact(length())];
            int[] slot = new int[Math.toIntExact(n * n)];
            int next = 0;
            for (int i = 0; i < n; i++) {
                for (int j = i; j < n; j++) {
                    rowMajor[next] = (int) (i * n + j);
                    slot[(int) (i * n + j)] = next;
                    slot[(int) (j * n + i)] = next;
                    next++;
                }
            }
            this.gatherIndex = Scope.own(index(rowMajor, device));
            this.scatterIndex = Scope.own(index(slot, device));
        }
    }

    /** n(n+1)/2. */
    public long length() {
        return n * (n + 1) / 2;
    }

    /** The upper triangles of matrices [batch, n, n] as rows [batch, n(n+1)/2]. */
    public Tensor gather(Tensor matrices) {
        return matrices.reshape(matrices.size(0), n * n).index_select(1, gatherIndex);
    }

    /** The symmetric matrices [batch, n, n] whose upper triangles are the rows [batch, n(n+1)/2]. */
    public Tensor scatter(Tensor triangles) {
        return triangles.index_select(1, scatterIndex).view(triangles.size(0), n, n);
    }

    /** Where the diagonal stands in the vector: a mask [n(n+1)/2]. */
    public Tensor diagonalMask() {
        return gatherIndex.remainder(scalar(n + 1)).eq(scalar(0L));
    }

    private static Tensor index(int[] positions, String device) {
        return torch.tensor(positions).to(new Device(device), ScalarType.Int); // half the memory traffic of Long
    }

    @Override
    public void close() {
        Scope.disown(gatherIndex);
        Scope.disown(scatterIndex);
    }
}
