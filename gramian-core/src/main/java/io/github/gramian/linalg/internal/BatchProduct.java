package io.github.gramian.linalg.internal;

import io.github.gramian.tensor.internal.ScalarTypes;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Products of matrices, image by image.
 *
 * <p>Of those that are known to be symmetric, such as WᵀKW, on a CPU the block below the diagonal is not multiplied but
 * mirrored: three quarters of the work. Smaller blocks would save another eighth, but products and mirrors of small blocks
 * cost as much again; so do those of any size in 16 bits.
 */
public final class BatchProduct {

    /** Below this size blocks lose more speed than they save work. */
    private static final long SMALLEST_BLOCK = 256;

    private BatchProduct() {}

    /** AB, known to be symmetric. A: [batch, n, k]; B: [batch, k, n]. */
    public static Tensor symmetric(Tensor A, Tensor B) {
        long n = A.size(1);
        if (!A.device().is_cpu()
                || n < 2 * SMALLEST_BLOCK
                || ScalarTypes.precision(A).bytes() < Float.BYTES) {
            return plain(A, B);
        }
        long half = n / 2;
        long rest = n - half;
        Tensor product = A.new_empty(A.size(0), n, n);
        Tensor upper = product.narrow(1, 0, half);
        Tensor lower = product.narrow(1, half, rest);
        torch.bmm_out(upper, A.narrow(1, 0, half), B);
        torch.bmm_out(lower.narrow(2, half, rest), A.narrow(1, half, rest), B.narrow(2, half, rest));
        lower.narrow(2, 0, half).copy_(upper.narrow(2, half, rest).mT());
        return product;
    }

    /** AB for any A and B. A single pair is multiplied without the batch, which spares copies of transposed matrices. */
    public static Tensor plain(Tensor A, Tensor B) {
        return A.size(0) == 1 ? A.select(0, 0).mm(B.select(0, 0)).unsqueeze(0) : torch.bmm(A, B);
    }
}
