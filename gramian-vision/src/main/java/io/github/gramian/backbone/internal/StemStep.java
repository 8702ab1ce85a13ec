package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;

/** norm(w ∗ x + b): patches of images [batch, 3, height, width] become positions [batch, channels, height/p, width/p]. */
record StemStep(Tap tap, Convolution patches, LayerNorm norm) implements Step {

    @Override
    public void declare(BiConsumer<String, List<Long>> weight) {
        patches.declare(weight);
        norm.declare(weight);
    }

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        return norm.ofMaps(patches.forward(x, weights), weights);
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Stem(tap, patches.described(weights), norm.described(weights));
    }

    @Override
    public List<LayerNorm> layerNorms() {
        return List.of(norm);
    }
}
