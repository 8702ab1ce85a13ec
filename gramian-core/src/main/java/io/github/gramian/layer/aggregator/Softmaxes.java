package io.github.gramian.layer.aggregator;

import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;

/** The backward pass through a softmax over the words of a codebook. */
final class Softmaxes {

    private Softmaxes() {}

    /** a ∘ (da − Σₖ a ∘ da) for a = softmax over dimension 1: [batch, K, N]. */
    static Tensor backward(Tensor a, Tensor da) {
        Tensor weighted = a.mul(da);
        return weighted.sub(a.mul(weighted.sum(new long[] {1}, true, new ScalarTypeOptional())));
    }
}
