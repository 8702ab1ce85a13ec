package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** y = w·x + b over the last dimension: [.., inputs] to [.., outputs]. */
record Linear(String name, int inputs, int outputs) {

    void declare(BiConsumer<String, List<Long>> weight) {
        weight.accept(name + ".weight", List.of((long) outputs, (long) inputs));
        weight.accept(name + ".bias", List.of((long) outputs));
    }

    Tensor forward(Tensor x, WeightTable weights) {
        return torch.linear(x, weights.get(name + ".weight", x), weights.optional(name + ".bias", x));
    }

    BackboneStep.Product described(WeightTable weights) {
        return new BackboneStep.Product(name, weights.get(name + ".weight"), weights.get(name + ".bias"));
    }
}
