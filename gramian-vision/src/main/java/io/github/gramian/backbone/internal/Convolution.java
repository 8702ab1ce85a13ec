package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * y = norm(w ∗ x + b) of maps [batch, channels, height, width]: a square convolution and the batch-norm after it, if there is
 * one. The batch-norm is left out when it has been folded into the weights.
 *
 * @param inputs channels that one output sees: all of x, or one for a depthwise convolution, whose groups follow from x
 */
record Convolution(
        String name,
        int inputs,
        int outputs,
        int kernel,
        int stride,
        int padding,
        boolean bias,
        @Nullable BatchNorm norm) {

    void declare(BiConsumer<String, List<Long>> weight) {
        weight.accept(name + ".weight", List.of((long) outputs, (long) inputs, (long) kernel, (long) kernel));
        if (bias) {
            weight.accept(name + ".bias", List.of((long) outputs));
        }
        if (norm != null) {
            norm.declare(weight);
        }
    }

    Tensor forward(Tensor x, WeightTable weights) {
        Tensor y = torch.conv2d(
                x,
                weights.get(name + ".weight", x),
                weights.optional(name + ".bias", x),
                new long[] {stride, stride},
                new long[] {padding, padding},
                new long[] {1, 1},
                x.size(1) / inputs);
        return norm == null || !weights.has(norm.name() + ".weight") ? y : norm.forward(y, weights);
    }

    BackboneStep.Convolution described(WeightTable weights) {
        if (norm != null && weights.has(norm.name() + ".weight")) {
            throw new IllegalStateException(
                    name + " has a batch-norm that is not folded into its weights; open the backbone"
                            + " with BackboneOptions.frozen");
        }
        String biasName = name + ".bias";
        return new BackboneStep.Convolution(
                name,
                stride,
                padding,
                weights.get(name + ".weight"),
                weights.has(biasName) ? Optional.of(weights.get(biasName)) : Optional.empty());
    }
}
