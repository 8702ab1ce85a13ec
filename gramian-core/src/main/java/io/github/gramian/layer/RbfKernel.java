package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Kᵢⱼ = exp(−‖fᵢ − fⱼ‖² / 2σ²) (eq. rbfkernelfunction, forwardmatrix): the paper's kernel. */
public final class RbfKernel extends DistanceKernel {

    /** A kernel whose statistics, if it keeps any, carry the name, with exact products. */
    public RbfKernel(String name, Bandwidth bandwidth, Placement placement) {
        this(name, bandwidth, Products.EXACT, placement);
    }

    /** A kernel whose statistics, if it keeps any, carry the name. */
    public RbfKernel(String name, Bandwidth bandwidth, Products products, Placement placement) {
        super(name, bandwidth, products, placement);
    }

    @Override
    Tensor value(Tensor D, Tensor sigma, boolean overwrite) {
        Tensor rate = exponentRate(sigma);
        return (overwrite ? D.mul_(rate) : D.mul(rate)).exp_();
    }

    @Override
    Tensor slope(Tensor GK, @Nullable Tensor D, Tensor sigma) {
        return GK.mul_(exponentRate(sigma));
    }

    @Override
    Tensor sigmaSlope(Tensor D, Tensor sigma) {
        return D.div(sigma.pow(scalar(3.0)));
    }

    @Override
    boolean slopeNeedsDistances() {
        return false;
    }

    /** −1/2σ². */
    private static Tensor exponentRate(Tensor sigma) {
        return sigma.square().reciprocal_().mul_(scalar(-0.5));
    }
}
