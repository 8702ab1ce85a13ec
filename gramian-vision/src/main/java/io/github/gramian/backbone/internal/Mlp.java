package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * w₂·gelu(w₁·norm(x) + b₁) + b₂ at each position, with the exact GELU x·½(1 + erf(x/√2)); what it adds to a block is scaled
 * for each channel (LayerScale).
 *
 * @param scale name of the scale's weight
 * @param scaleShape its shape, with one value per channel
 */
record Mlp(LayerNorm norm, Linear first, Linear second, String scale, List<Long> scaleShape) {

    void declare(BiConsumer<String, List<Long>> weight) {
        norm.declare(weight);
        first.declare(weight);
        second.declare(weight);
        weight.accept(scale, scaleShape);
    }

    /** Channels are the last dimension; not scaled yet. */
    Tensor forward(Tensor x, WeightTable weights) {
        return second.forward(torch.gelu(first.forward(norm.forward(x, weights), weights)), weights);
    }

    BackboneStep.Mlp described(WeightTable weights) {
        return new BackboneStep.Mlp(
                norm.described(weights),
                first.described(weights),
                second.described(weights),
                new BackboneStep.Scale(scale, weights.get(scale)));
    }
}
