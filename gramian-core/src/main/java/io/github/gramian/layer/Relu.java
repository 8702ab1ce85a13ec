package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Z = max(X, 0), element by element; any shape.
 *
 * <p>On a symmetric positive definite matrix (the paper's activation after an SPD transformation) <b>the result need not be
 * positive definite</b>: the paper's theorem reluspdmatrix is wrong from 4×4 on, and for Y = WᵀKW with a random W it
 * fails nearly always. Nothing that follows may rely on it; {@link EigenLayer#rectifier} is the activation that keeps
 * matrices SPD.
 */
public record Relu() implements Layer {

    @Override
    public Pass forward(Tensor X, Phase phase) {
        Tensor Z = X.relu();
        Tensor shared = Scope.share(Z);
        return Pass.of(Z, dZ -> torch.threshold_backward(dZ, shared, scalar(0.0)));
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
