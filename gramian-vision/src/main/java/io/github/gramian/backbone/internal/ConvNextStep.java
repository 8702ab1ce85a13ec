package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * x + scale·mlp(depthwise(x)): a block of ConvNeXt. The first block of a stage halves the map before, so that training from it
 * trains the whole stage.
 */
record ConvNextStep(Tap tap, @Nullable Halving halving, Convolution depthwise, Mlp mlp) implements Step {

    /** w ∗ norm(x) + b with stride 2. */
    record Halving(LayerNorm norm, Convolution convolution) {}

    @Override
    public void declare(BiConsumer<String, List<Long>> weight) {
        if (halving != null) {
            halving.norm().declare(weight);
            halving.convolution().declare(weight);
        }
        depthwise.declare(weight);
        mlp.declare(weight);
    }

    @Override
    public Tensor forward(Tensor input, WeightTable weights) {
        Tensor x = halving == null
                ? input
                : halving.convolution().forward(halving.norm().ofMaps(input, weights), weights);
        Tensor mixed = depthwise.forward(x, weights).permute(0, 2, 3, 1);
        Tensor added = mlp.forward(mixed, weights).permute(0, 3, 1, 2);
        return torch.addcmul(x, added, weights.get(mlp.scale(), x));
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.ConvNextBlock(
                tap,
                Optional.ofNullable(halving)
                        .map(one -> new BackboneStep.Halving(
                                one.norm().described(weights), one.convolution().described(weights))),
                depthwise.described(weights),
                mlp.described(weights));
    }

    @Override
    public List<LayerNorm> layerNorms() {
        List<LayerNorm> norms = new ArrayList<>(List.of(mlp.norm()));
        if (halving != null) {
            norms.add(halving.norm());
        }
        return norms;
    }
}
