package io.github.gramian.layer.kernel;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * K = kernel(M) + εI (eq. forwardkernelaggregation). M: [batch, C, N]; K: [batch, C, C].
 *
 * <p>The kernel matrix is positive definite only if no two channels coincide; k dead channels (all zero after a ReLU) take
 * k − 1 from its rank. A jitter ε &gt; 0 repairs that and passes unchanged through WᵀKW. Logarithm and inverse need it;
 * the plain pipeline never inverts K and does without.
 *
 * @param kernel kernel that compares channels
 * @param centring whether each channel loses its mean over positions first
 * @param unitMaps whether each channel is divided by its length over positions next
 * @param jitter ε
 */
public record KernelAggregation(Kernel kernel, boolean centring, boolean unitMaps, double jitter) implements Layer {

    public KernelAggregation {
        if (!(jitter >= 0 && jitter < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("kernel jitter must be at least 0 but is " + jitter);
        }
    }

    /** Without unit maps: channels keep their lengths. */
    public KernelAggregation(Kernel kernel, boolean centring, double jitter) {
        this(kernel, centring, false, jitter);
    }

    /** Only the kernel: without centring, unit maps and jitter. */
    public static KernelAggregation of(Kernel kernel) {
        return new KernelAggregation(kernel, false, 0);
    }

    @Override
    public Pass forward(Tensor M, Phase phase) {
        if (!centring) {
            return ofMaps(M, phase);
        }
        Pass centred = MapCentring.centre(M);
        return centred.then(ofMaps(centred.output(), phase));
    }

    private Pass ofMaps(Tensor M, Phase phase) {
        if (!unitMaps) {
            return withJitter(kernel.gram(M, phase));
        }
        Pass units = UnitMaps.of(M, phase);
        return units.then(withJitter(kernel.gram(units.output(), phase)));
    }

    private Pass withJitter(Pass gram) {
        if (jitter == 0) {
            return gram;
        }
        Tensor K = gram.output();
        Tensor identity = torch.eye(K.size(1), Placement.of(K).options());
        Pass lifted = Pass.of(K.add(identity, scalar(jitter)), dK -> dK);
        return gram.then(lifted.wantingSymmetric().givingSymmetric());
    }

    @Override
    public boolean isPerSample() {
        return kernel.parameters().isEmpty();
    }

    @Override
    public List<Parameter> parameters() {
        return kernel.parameters();
    }
}
