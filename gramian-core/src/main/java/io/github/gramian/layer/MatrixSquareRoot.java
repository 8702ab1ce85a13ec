package io.github.gramian.layer;

import io.github.gramian.linalg.internal.NewtonSchulz;
import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.Tensor;

/** Y^½ by Newton–Schulz iterations, as in iSQRT-COV. Y: [batch, n, n], SPD. */
public record MatrixSquareRoot(NewtonSchulz method) implements Layer {

    @Override
    public Pass forward(Tensor Y, Phase phase) {
        return method.squareRoot(Y);
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
