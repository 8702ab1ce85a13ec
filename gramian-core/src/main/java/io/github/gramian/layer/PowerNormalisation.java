package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.Tensor;

/**
 * z = sign(v)(√(|v| + ε) − √ε), element by element; any shape.
 *
 * <p>The paper's sign(v)√|v| has an infinite slope at 0, where a ReLU before it puts many entries, and 0·∞ is NaN.
 * With ε the slope is 1/(2√(|v| + ε)), at most 1/(2√ε). Computed as v/(√(|v| + ε) + √ε), which does not cancel.
 *
 * <p>ε = 0 is the paper's formula; its slope at 0 then counts as 0.
 */
public record PowerNormalisation(double epsilon) implements Layer {

    public PowerNormalisation {
        if (!(epsilon >= 0 && epsilon < 1)) {
            throw new IllegalArgumentException(
                    "epsilon of the power normalisation must lie in [0, 1) but is " + epsilon);
        }
    }

    @Override
    public Pass forward(Tensor v, Phase phase) {
        Tensor root = v.abs().add_(scalar(epsilon)).sqrt_();
        if (epsilon == 0) {
            Tensor zeros = root.eq(scalar(0.0));
            Tensor safeRoot = root.masked_fill(zeros, scalar(1.0));
            return Pass.of(
                    v.div(safeRoot), dz -> dz.div(safeRoot).mul_(scalar(0.5)).masked_fill_(zeros, scalar(0.0)));
        }
        Tensor z;
        try (Tensor sum = root.add(scalar(Math.sqrt(epsilon)))) {
            z = v.div(sum);
        }
        return Pass.of(z, dz -> dz.div(root).mul_(scalar(0.5)));
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
