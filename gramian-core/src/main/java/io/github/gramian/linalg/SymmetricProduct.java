package io.github.gramian.linalg;

import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Products AB that are known to be symmetric, such as MMᵀ or WᵀKW. On a CPU only the blocks on and above the diagonal are
 * multiplied, and those above are mirrored: five eighths of the work. The result is symmetric to the last bit but for its
 * diagonal blocks.
 */
public final class SymmetricProduct {

    /** Blocks are halved down to this size, where products begin to lose speed. */
    private static final long SMALLEST_BLOCK = 128;

    private SymmetricProduct() {}

    /** AB. A: [batch, n, k]; B: [batch, k, n]. */
    public static Tensor of(Tensor A, Tensor B) {
        long n = A.size(1);
        if (!A.device().is_cpu() || n < 2 * SMALLEST_BLOCK) {
            return torch.bmm(A, B);
        }
        Tensor product = A.new_empty(A.size(0), n, n);
        fill(product, A, B);
        return product;
    }

    private static void fill(Tensor product, Tensor A, Tensor B) {
        long n = product.size(1);
        if (n < 2 * SMALLEST_BLOCK) {
            torch.bmm_out(product, A, B);
            return;
        }
        long half = n / 2;
        long rest = n - half;
        Tensor upper = product.narrow(1, 0, half);
        Tensor lower = product.narrow(1, half, rest);
        Tensor upperA = A.narrow(1, 0, half);
        Tensor rightB = B.narrow(2, half, rest);
        Tensor corner = upper.narrow(2, half, rest);
        fill(upper.narrow(2, 0, half), upperA, B.narrow(2, 0, half));
        torch.bmm_out(corner, upperA, rightB);
        lower.narrow(2, 0, half).copy_(corner.mT());
        fill(lower.narrow(2, half, rest), A.narrow(1, half, rest), rightB);
    }
}
