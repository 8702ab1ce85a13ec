package io.github.gramian.layer;

import io.github.gramian.tensor.Pass;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * A differentiable computation with parameters, over a batch: the first dimension of input and output counts images.
 *
 * <p>Layers work on tensors without an autograd graph. Features of a network that LibTorch differentiates enter detached,
 * and the gradient that comes out at the front continues there with {@code features.backward(gradient)}.
 */
public interface Layer extends AutoCloseable {

    /** Computes the output and keeps what the backward pass needs in the pass. */
    Pass forward(Tensor input, Phase phase);

    /** Only the output, for inference. */
    default Tensor apply(Tensor input) {
        return forward(input, Phase.inference()).output();
    }

    /**
     * Whether the output for an image depends on no other image of the batch, so that images may be computed on several
     * threads at once. Layers that keep statistics of batches must see whole batches.
     */
    default boolean isPerSample() {
        return false;
    }

    /** Parameters and statistics, in a fixed order. */
    default List<Parameter> parameters() {
        return List.of();
    }

    /** Frees the parameters. */
    @Override
    default void close() {
        parameters().forEach(Parameter::close);
    }
}
