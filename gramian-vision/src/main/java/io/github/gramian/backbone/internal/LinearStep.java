package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** A fully connected layer, [batch, inputs] to [batch, outputs], with ReLU unless it is the last. */
record LinearStep(Tap tap, Linear linear, boolean relu) implements Step {

    @Override
    public void declare(BiConsumer<String, List<Long>> weight) {
        linear.declare(weight);
    }

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        Tensor y = linear.forward(x, weights);
        if (relu) {
            torch.relu_(y);
        }
        return y;
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Connected(
                tap, linear.name(), weights.get(linear.name() + ".weight"), weights.get(linear.name() + ".bias"), relu);
    }
}
