package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.optional;
import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * z = v/‖v‖ for each row. v: [batch, length].
 *
 * <p>A row of zeros has no direction: it remains zero and passes no gradient on.
 */
public record L2Normalisation() implements Layer {

    /** Lengths up to here count as zero. */
    private static final double SMALLEST_LENGTH = 1e-20;

    @Override
    public Pass forward(Tensor v, Phase phase) {
        Tensor length = v.norm(optional(2.0), new long[] {1}, true);
        Tensor inverse = length.reciprocal().masked_fill_(length.le(scalar(SMALLEST_LENGTH)), scalar(0.0));
        Tensor z = v.mul(inverse);
        Tensor unit = Scope.share(z);
        return Pass.of(z, dz -> {
            Tensor along = inner(dz, unit);
            return torch.addcmul(dz, unit, along, scalar(-1.0)).mul_(inverse);
        });
    }

    private static Tensor inner(Tensor a, Tensor b) {
        try (Tensor products = a.mul(b)) {
            return products.sum(new long[] {1}, true, new ScalarTypeOptional());
        }
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
