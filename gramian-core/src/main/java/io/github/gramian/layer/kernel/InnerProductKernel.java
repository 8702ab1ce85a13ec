package io.github.gramian.layer.kernel;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Kernels of the mean product ⟨fᵢ, fⱼ⟩/N of two channels over the N positions. M: [batch, C, N]; K: [batch, C, C]. */
public sealed interface InnerProductKernel extends Kernel {

    /** Kᵢⱼ = ⟨fᵢ, fⱼ⟩ / N: bilinear pooling. */
    record Linear() implements InnerProductKernel {
        @Override
        public Pass gram(Tensor M, Phase phase) {
            return meanProducts(M, M.size(2));
        }
    }

    /**
     * Kᵢⱼ = ⟨fᵢ − µᵢ, fⱼ − µⱼ⟩ / (N − 1) (eq. covariancematrix); its rank is at most N − 1. A single position has no
     * variance: K = 0.
     */
    record Covariance() implements InnerProductKernel {
        @Override
        public Pass gram(Tensor M, Phase phase) {
            Pass centred = KernelAggregation.centre(M);
            return centred.then(meanProducts(centred.output(), Math.max(1, M.size(2) - 1)));
        }
    }

    /** Kᵢⱼ = (⟨fᵢ, fⱼ⟩/N + offset)ᵈᵉᵍʳᵉᵉ. */
    record Polynomial(int degree, double offset) implements InnerProductKernel {
        public Polynomial {
            if (degree < 1 || degree > 8) {
                throw new IllegalArgumentException(
                        "the degree of a polynomial kernel must lie in 1..8 but is " + degree);
            }
            if (!(offset >= 0 && offset < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "the offset of a polynomial kernel must not be negative, or K loses positive definiteness, but is "
                                + offset);
            }
        }

        @Override
        public Pass gram(Tensor M, Phase phase) {
            Pass products = meanProducts(M, M.size(2));
            Tensor shifted = products.output().add(scalar(offset));
            return products.then(Pass.of(
                    shifted.pow(scalar(degree)),
                    dK -> shifted.pow(scalar(degree - 1)).mul_(scalar(degree)).mul_(dK)));
        }
    }

    /** P = MMᵀ/count and its backward pass, ∂L/∂M = 2 sym(∂L/∂P) M / count. */
    private static Pass meanProducts(Tensor M, long count) {
        Tensor P = torch.bmm(M, M.mT()).mul_(scalar(1.0 / count));
        Tensor maps = Scope.share(M);
        return Pass.of(P, dP -> torch.bmm(dP, maps).mul_(scalar(2.0 / count))).wantingSymmetric();
    }
}
