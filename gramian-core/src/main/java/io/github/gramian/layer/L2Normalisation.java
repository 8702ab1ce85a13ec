package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.optional;
import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;

/**
 * z = v/‖v‖ for each row. v: [batch, length].
 *
 * <p>A row of zeros has no direction: it stays zero and passes no gradient on.
 */
public record L2Normalisation() implements Layer {

    /** Lengths up to here count as zero. */
    private static final double SMALLEST_LENGTH = 1e-20;

    @Override
    public Pass forward(Tensor v, Phase phase) {
        Tensor length = v.norm(optional(2.0), new long[] {1}, true);
        Tensor inverse = length.reciprocal().masked_fill_(length.le(scalar(SMALLEST_LENGTH)), scalar(0.0));
        Tensor z = v.mul(inverse);
        return Pass.of(z, dz -> {
            Tensor along = dz.mul(z).sum(new long[] {1}, true, new ScalarTypeOptional());
            return dz.sub(z.mul(along)).mul_(inverse);
        });
    }
}
