package io.github.gramian.model.config;

import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.InnerProductKernel;
import io.github.gramian.layer.kernel.Kernel;
import io.github.gramian.layer.kernel.LaplacianKernel;
import io.github.gramian.layer.kernel.MultiRbfKernel;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.tensor.Placement;
import java.util.List;

/** The kernel that compares the channels of feature maps, two at a time: which one, and its settings. */
public sealed interface KernelConfig {

    /** The kernel itself; statistics that it keeps carry the name. */
    Kernel build(String name, ProductPrecision products, Placement placement);

    /**
     * exp(−‖fᵢ − fⱼ‖²/2σ²), the paper's.
     *
     * @param bandwidth choice of the width σ
     */
    record Rbf(Bandwidth bandwidth) implements KernelConfig {
        @Override
        public Kernel build(String name, ProductPrecision products, Placement placement) {
            return new RbfKernel(name, bandwidth, products, placement);
        }
    }

    /**
     * The mean of exp(−‖fᵢ − fⱼ‖²/2(mσ)²) over multiples m.
     *
     * @param bandwidth choice of the width σ
     * @param multiples multiples m of σ, such as 0.5, 1 and 2
     */
    record MultiRbf(Bandwidth bandwidth, List<Double> multiples) implements KernelConfig {

        public MultiRbf {
            multiples = List.copyOf(multiples);
            MultiRbfKernel.check(multiples);
        }

        @Override
        public Kernel build(String name, ProductPrecision products, Placement placement) {
            return new MultiRbfKernel(name, bandwidth, multiples, products, placement);
        }
    }

    /**
     * exp(−‖fᵢ − fⱼ‖/σ).
     *
     * @param bandwidth choice of the width σ
     */
    record Laplacian(Bandwidth bandwidth) implements KernelConfig {
        @Override
        public Kernel build(String name, ProductPrecision products, Placement placement) {
            return new LaplacianKernel(name, bandwidth, products, placement);
        }
    }

    /**
     * (⟨fᵢ, fⱼ⟩/N + offset)ᵈᵉᵍʳᵉᵉ.
     *
     * @param degree exponent
     * @param offset constant that is added before the power is taken
     */
    record Polynomial(int degree, double offset) implements KernelConfig {
        @Override
        public Kernel build(String name, ProductPrecision products, Placement placement) {
            return new InnerProductKernel.Polynomial(degree, offset);
        }
    }

    /** ⟨fᵢ, fⱼ⟩/N: bilinear pooling. */
    record Linear() implements KernelConfig {
        @Override
        public Kernel build(String name, ProductPrecision products, Placement placement) {
            return new InnerProductKernel.Linear();
        }
    }

    /** The covariance of channels over positions. */
    record Covariance() implements KernelConfig {
        @Override
        public Kernel build(String name, ProductPrecision products, Placement placement) {
            return new InnerProductKernel.Covariance();
        }
    }
}
