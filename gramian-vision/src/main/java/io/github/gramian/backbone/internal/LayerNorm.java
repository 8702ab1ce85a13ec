package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;

/**
 * y = γ (x − mean) / √(variance + ε) + β over the channels of each position, ε = 1e-6 as in ConvNeXt and DINOv2. γ and β are
 * in float even if the activations have a lower precision, which LibTorch supports.
 */
record LayerNorm(String name, int channels) {

    static final double EPSILON = 1e-6;

    void declare(BiConsumer<String, List<Long>> weight) {
        weight.accept(name + ".weight", List.of((long) channels));
        weight.accept(name + ".bias", List.of((long) channels));
    }

    /** Channels are the last dimension. */
    Tensor forward(Tensor x, WeightTable weights) {
        return torch.layer_norm(
                x,
                new long[] {channels},
                new TensorOptional(weights.get(name + ".weight")),
                new TensorOptional(weights.get(name + ".bias")),
                EPSILON,
                false);
    }

    /** Normalises maps [batch, channels, height, width] in channels-last layout; the result has the same layout. */
    Tensor ofMaps(Tensor x, WeightTable weights) {
        return forward(x.permute(0, 2, 3, 1), weights).permute(0, 3, 1, 2);
    }

    BackboneStep.Norm described(WeightTable weights) {
        return new BackboneStep.Norm(name, weights.get(name + ".weight"), weights.get(name + ".bias"), EPSILON);
    }
}
