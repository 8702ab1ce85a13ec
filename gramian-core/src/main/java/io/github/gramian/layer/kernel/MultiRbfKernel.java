package io.github.gramian.layer.kernel;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.tensor.Placement;
import java.util.List;
import java.util.Objects;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Kᵢⱼ = the mean over multiples m of exp(−‖fᵢ − fⱼ‖² / 2(mσ)²): several {@link RbfKernel}s in one, for channels whose
 * distances differ more than one width can resolve. M: [batch, C, N]; K: [batch, C, C]. Distances are computed once; each multiple costs one exponential for each
 * entry, forward and backward.
 */
public final class MultiRbfKernel extends DistanceKernel {

    private final List<Double> multiples;

    /** A kernel whose statistics, if it keeps any, carry the name. */
    public MultiRbfKernel(
            String name, Bandwidth bandwidth, List<Double> multiples, ProductPrecision products, Placement placement) {
        super(name, bandwidth, products, placement);
        check(multiples);
        this.multiples = List.copyOf(multiples);
    }

    /** Refuses multiples that are not positive numbers. */
    public static void check(List<Double> multiples) {
        if (multiples.isEmpty() || !multiples.stream().allMatch(m -> m > 0 && m < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "multiples of the bandwidth must be positive numbers, at least one, but are " + multiples
                            + "; for example [0.5, 1, 2]");
        }
    }

    @Override
    Tensor value(Tensor D, Tensor sigma, boolean overwrite) {
        Tensor sum = torch.zeros_like(D);
        for (double multiple : multiples) {
            try (Tensor rate = RbfKernel.exponentRate(sigma, multiple);
                    Tensor term = D.mul(rate)) {
                sum.add_(term.exp_(), scalar(1.0 / multiples.size()));
            }
        }
        return sum;
    }

    @Override
    Tensor slope(Tensor dK, Tensor K, @Nullable Tensor distances, Tensor sigma) {
        Tensor D = Objects.requireNonNull(distances);
        Tensor sum = torch.zeros_like(D);
        for (double multiple : multiples) {
            try (Tensor rate = RbfKernel.exponentRate(sigma, multiple);
                    Tensor term = D.mul(rate)) {
                sum.addcmul_(term.exp_(), rate, scalar(1.0 / multiples.size()));
            }
        }
        sum.mul_(dK);
        return sum;
    }

    @Override
    boolean slopeNeedsDistances() {
        return true;
    }
}
