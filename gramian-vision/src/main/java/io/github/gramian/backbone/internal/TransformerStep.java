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
 * y = x + s₁·attention(x), then y + s₂·mlp(y) of tokens [batch, tokens, channels]; after the last block a norm.
 *
 * @param others number of tokens before the patches
 */
record TransformerStep(
        Tap tap, Attention attention, Mlp mlp, @Nullable LayerNorm last, int others) implements Step {

    @Override
    public void declare(BiConsumer<String, List<Long>> weight) {
        attention.declare(weight);
        mlp.declare(weight);
        if (last != null) {
            last.declare(weight);
        }
    }

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        Tensor y = torch.addcmul(x, attention.forward(x, weights), weights.get(attention.scale(), x));
        Tensor z = torch.addcmul(y, mlp.forward(y, weights), weights.get(mlp.scale(), y));
        return last == null ? z : last.forward(z, weights);
    }

    @Override
    public Tensor features(Tensor tokens, long height, long width) {
        return Tokens.maps(tokens, others, height / tap.stride(), width / tap.stride());
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.TransformerBlock(
                tap,
                attention.described(weights),
                mlp.described(weights),
                Optional.ofNullable(last).map(norm -> norm.described(weights)),
                others);
    }

    @Override
    public List<LayerNorm> layerNorms() {
        List<LayerNorm> norms = new ArrayList<>(List.of(attention.norm(), mlp.norm()));
        if (last != null) {
            norms.add(last);
        }
        return norms;
    }
}
