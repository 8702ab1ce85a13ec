package io.github.gramian.layer;

import io.github.gramian.linalg.internal.NewtonSchulz;
import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.Tensor;

/**
 * Y^½ by Newton–Schulz iterations, as in iSQRT-COV. Y: [batch, n, n], SPD. Five iterations suffice for training; eigenvalues
 * far below the trace converge last.
 */
public final class MatrixSquareRoot implements Layer {

    private final NewtonSchulz method;

    /** With a number of iterations in 1..100. */
    public MatrixSquareRoot(int iterations) {
        this.method = new NewtonSchulz(iterations);
    }

    @Override
    public Pass forward(Tensor Y, Phase phase) {
        return method.squareRoot(Y);
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
