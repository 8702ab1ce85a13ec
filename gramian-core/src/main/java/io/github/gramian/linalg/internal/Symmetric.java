package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The symmetric part and the eigen-decomposition of batches of matrices. */
public final class Symmetric {

    private Symmetric() {}

    /**
     * A = U diag(λ) Uᵀ.
     *
     * @param values λ, ascending: [..., n]
     * @param vectors U, orthonormal columns: [..., n, n]
     */
    public record Eigen(Tensor values, Tensor vectors) {}

    /** ½(A + Aᵀ). A: [..., n, n]. */
    public static Tensor part(Tensor A) {
        return A.add(A.mT()).mul_(scalar(0.5));
    }

    /** Eigenvalues and eigenvectors of symmetric matrices, of which only the lower triangle is read. */
    public static Eigen eigen(Tensor A) {
        T_TensorTensor_T parts = torch.linalg_eigh(A);
        // The parts point into the tuple and must not outlive it: take handles of our own.
        return new Eigen(new Tensor(parts.get0()), new Tensor(parts.get1()));
    }

    /** U diag(λ) Uᵀ. values: [..., n]; vectors: [..., n, n]. */
    public static Tensor compose(Tensor values, Tensor vectors) {
        return vectors.mul(values.unsqueeze(-2)).matmul(vectors.mT());
    }
}
