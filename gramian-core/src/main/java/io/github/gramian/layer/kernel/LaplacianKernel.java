package io.github.gramian.layer.kernel;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.tensor.Placement;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Kᵢⱼ = exp(−‖fᵢ − fⱼ‖ / σ) of the rows f of M. M: [batch, C, N]; K: [batch, C, C]. It falls off more slowly than {@link RbfKernel}; where two channels coincide its gradient has
 * a kink and is taken for 0.
 */
public final class LaplacianKernel extends DistanceKernel {

    /** A kernel whose statistics, if it keeps any, carry the name, with exact products. */
    public LaplacianKernel(String name, Bandwidth bandwidth, Placement placement) {
        this(name, bandwidth, ProductPrecision.EXACT, placement);
    }

    /** A kernel whose statistics, if it keeps any, carry the name. */
    public LaplacianKernel(String name, Bandwidth bandwidth, ProductPrecision products, Placement placement) {
        super(name, bandwidth, products, placement);
    }

    @Override
    Tensor value(Tensor D, Tensor sigma, boolean overwrite) {
        return D.sqrt().div_(sigma).neg_().exp_();
    }

    @Override
    Tensor slope(Tensor dK, Tensor K, @Nullable Tensor D, Tensor sigma) {
        Tensor A = dK.mul(K);
        A.mul_(inverseDistances(Objects.requireNonNull(D)))
                .mul_(sigma.reciprocal().mul_(scalar(-0.5)));
        return A;
    }

    @Override
    boolean slopeNeedsDistances() {
        return true;
    }
}
