package io.github.gramian.layer.kernel;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.tensor.Placement;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/** Kᵢⱼ = exp(−‖fᵢ − fⱼ‖² / 2σ²) (eq. rbfkernelfunction, forwardmatrix) of the rows f of M: the paper's kernel. M: [batch, C, N]; K: [batch, C, C]. */
public final class RbfKernel extends DistanceKernel {

    /** A kernel whose statistics, if it keeps any, carry the name, with exact products. */
    public RbfKernel(String name, Bandwidth bandwidth, Placement placement) {
        this(name, bandwidth, ProductPrecision.EXACT, placement);
    }

    /** A kernel whose statistics, if it keeps any, carry the name. */
    public RbfKernel(String name, Bandwidth bandwidth, ProductPrecision products, Placement placement) {
        super(name, bandwidth, products, placement);
    }

    @Override
    Tensor value(Tensor D, Tensor sigma, boolean overwrite) {
        Tensor rate = exponentRate(sigma, 1);
        return (overwrite ? D.mul_(rate) : D.mul(rate)).exp_();
    }

    @Override
    Tensor slope(Tensor dK, Tensor K, @Nullable Tensor D, Tensor sigma) {
        Tensor A = dK.mul(K);
        A.mul_(exponentRate(sigma, 1));
        return A;
    }

    @Override
    boolean slopeNeedsDistances() {
        return false;
    }

    /** −1/2(mσ)². */
    static Tensor exponentRate(Tensor sigma, double multiple) {
        Tensor rate = sigma.mul(scalar(multiple));
        rate.square_().reciprocal_().mul_(scalar(-0.5));
        return rate;
    }
}
