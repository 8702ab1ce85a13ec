package io.github.gramian.linalg;

import io.github.gramian.tensor.Precision;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Products AB that are known to be symmetric, such as WᵀKW. On a CPU the block below the diagonal is not multiplied but
 * mirrored: three quarters of the work. Smaller blocks would save another eighth, but products and mirrors of small blocks
 * cost as much again; so do those of any size in 16 bits.
 */
public final class SymmetricProduct {

    /** Below this size blocks lose more speed than they save work. */
    private static final long SMALLEST_BLOCK = 256;

    private SymmetricProduct() {}

    /** AB. A: [batch, n, k]; B: [batch, k, n]. */
    public static Tensor of(Tensor A, Tensor B) {
        long n = A.size(1);
        if (!A.device().is_cpu()
                || n < 2 * SMALLEST_BLOCK
                || Precision.of(A.scalar_type()).bytes() < Float.BYTES) {
            return torch.bmm(A, B);
        }
        long half = n / 2;
        long rest = n - half;
        Tensor product = A.new_empty(A.size(0), n, n);
        Tensor upper = product.narrow(1, 0, half);
        Tensor lower = product.narrow(1, half, rest);
        Tensor corner = upper.narrow(2, half, rest);
        Tensor upperA = A.narrow(1, 0, half);
        Tensor rightB = B.narrow(2, half, rest);
        torch.bmm_out(upper.narrow(2, 0, half), upperA, B.narrow(2, 0, half));
        torch.bmm_out(corner, upperA, rightB);
        torch.bmm_out(lower.narrow(2, half, rest), A.narrow(1, half, rest), rightB);
        lower.narrow(2, 0, half).copy_(corner.mT());
        return product;
    }
}
