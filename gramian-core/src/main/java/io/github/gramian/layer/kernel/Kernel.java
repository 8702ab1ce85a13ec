package io.github.gramian.layer.kernel;

import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/** Compares the channels of feature maps with each other (eq. forwardkernelaggregation). */
public sealed interface Kernel permits DistanceKernel, InnerProductKernel {

    /** K with Kᵢⱼ = k(fᵢ, fⱼ) for the rows fᵢ of M, and its backward pass. M: [batch, C, N]; K: [batch, C, C]. */
    Pass gram(Tensor M, Phase phase);

    /** The widths σ that it takes for these maps in inference, if it has any: [batch] or [1]. M: [batch, C, N]. */
    default Optional<Tensor> widths(Tensor M) {
        return Optional.empty();
    }

    /** Parameters and statistics of the kernel; most kernels have none. */
    default List<Parameter> parameters() {
        return List.of();
    }
}
