package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * norm(mean over all positions): maps [batch, channels, height, width] of ConvNeXt to vectors [batch, channels] for its
 * classifier.
 */
record PooledNormStep(Tap tap, LayerNorm norm) implements Step {

    @Override
    public void declare(BiConsumer<String, List<Long>> weight) {
        norm.declare(weight);
    }

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        return norm.forward(torch.flatten(torch.adaptive_avg_pool2d(x, 1, 1).contiguous(), 1, -1), weights);
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.PooledNorm(tap, norm.described(weights));
    }

    @Override
    public List<LayerNorm> layerNorms() {
        return List.of(norm);
    }
}
