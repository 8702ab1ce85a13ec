package io.github.gramian.layer.kernel;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
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
        Pass centred = centre(M);
        return centred.then(ofMaps(centred.output(), phase));
    }

    private Pass ofMaps(Tensor M, Phase phase) {
        if (!unitMaps) {
            return withJitter(kernel.gram(M, phase));
        }
        Pass units = unit(M, phase);
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

    /** M − mean(M) over positions, for every channel, and its backward pass, which is the same projection. M: [batch, C, N]. */
    static Pass centre(Tensor M) {
        return Pass.of(withoutMean(M), KernelAggregation::withoutMean);
    }

    private static Tensor withoutMean(Tensor M) {
        return M.sub(M.mean(new long[] {2}, true, new ScalarTypeOptional()));
    }

    /**
     * Divides every channel by its length over positions. M: [batch, C, N]. A kernel of distances then depends only on angles:
     * ‖fᵢ − fⱼ‖² = 2 − 2cos(fᵢ, fⱼ), and of centred channels correlations. A channel of zeros remains zero.
     */
    private static Pass unit(Tensor M, Phase phase) {
        long batch = M.size(0);
        long channels = M.size(1);
        Pass rows = new L2Normalisation().forward(M.flatten(0, 1), phase);
        return Pass.of(
                rows.output().unflatten(0, batch, channels),
                dM -> rows.backward(dM.flatten(0, 1)).unflatten(0, batch, channels));
    }
}
