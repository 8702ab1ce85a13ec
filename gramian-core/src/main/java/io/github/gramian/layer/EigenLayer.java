package io.github.gramian.layer;

import io.github.gramian.linalg.internal.EigenMap;
import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.Tensor;

/** F(Y) = U diag(g(λ)) Uᵀ: a function of the eigenvalues as a layer. Y, F(Y): [batch, n, n], symmetric. */
public final class EigenLayer implements Layer {

    private final EigenMap map;

    private EigenLayer(EigenMap map) {
        this.map = map;
    }

    /** Eigenvalues raised to at least ε (ReEig): the activation that keeps matrices SPD. */
    public static EigenLayer rectifier(double epsilon) {
        return new EigenLayer(EigenMap.rectifier(epsilon));
    }

    /** The matrix logarithm, eigenvalues raised to at least ε before (LogEig): flattens the SPD manifold. */
    public static EigenLayer logarithm(double epsilon) {
        return new EigenLayer(EigenMap.logarithm(epsilon));
    }

    /** The matrix power, eigenvalues raised to at least ε before. */
    public static EigenLayer power(double exponent, double epsilon) {
        return new EigenLayer(EigenMap.power(exponent, epsilon));
    }

    @Override
    public Pass forward(Tensor Y, Phase phase) {
        return map.apply(Y);
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
