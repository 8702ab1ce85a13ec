package io.github.gramian.layer.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Euclidean;
import org.bytedeco.pytorch.Tensor;

/**
 * A statistic that follows the means of batches: m ← m + μ(x − m) with momentum μ. If several processes compute shards of a
 * batch, each accumulates its share of x as the gradient; the sum over all processes is x.
 */
public final class MeanParameter extends Parameter {

    private final double momentum;

    MeanParameter(String name, Tensor value, double momentum) {
        super(name, Role.STATISTIC, value.contiguous(), new Euclidean());
        this.momentum = momentum;
    }

    /** Folds the mean of a batch, which is the gradient by now, into the running mean. */
    public void foldIn() {
        value().lerp_(gradient(), scalar(momentum));
        clearGradient();
    }
}
