package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** A fully connected layer, with ReLU unless it is the last. */
record LinearStep(Tap tap, String name, int inputs, int outputs, boolean relu) implements Step {

    @Override
    public void declare(BiConsumer<String, List<Long>> weight) {
        weight.accept(name + ".weight", List.of((long) outputs, (long) inputs));
        weight.accept(name + ".bias", List.of((long) outputs));
    }

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        Tensor y = torch.linear(x, weights.get(name + ".weight", x), weights.optional(name + ".bias", x));
        if (relu) {
            torch.relu_(y);
        }
        return y;
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Connected(tap, name, weights.get(name + ".weight"), weights.get(name + ".bias"), relu);
    }
}
