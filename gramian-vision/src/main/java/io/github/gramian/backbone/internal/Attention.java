package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import java.util.List;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Self-attention of norm(x): softmax(QKᵀ/√d)·V for each head with d channels, then a product. What it adds to a block is
 * scaled for each channel (LayerScale).
 *
 * @param qkv queries, keys and values of all heads in one product
 * @param scale name of the scale's weight
 */
record Attention(LayerNorm norm, Linear qkv, Linear out, String scale, int heads) {

    void declare(BiConsumer<String, List<Long>> weight) {
        norm.declare(weight);
        qkv.declare(weight);
        out.declare(weight);
        weight.accept(scale, List.of((long) out.outputs()));
    }

    /** Of tokens x [batch, tokens, channels], in the same shape; not scaled yet. */
    Tensor forward(Tensor x, WeightTable weights) {
        long batch = x.size(0);
        long tokens = x.size(1);
        Tensor all = qkv.forward(norm.forward(x, weights), weights)
                .reshape(batch, tokens, 3, heads, -1)
                .permute(2, 0, 3, 1, 4);
        Tensor mixed = torch.scaled_dot_product_attention(all.select(0, 0), all.select(0, 1), all.select(0, 2));
        return out.forward(mixed.transpose(1, 2).reshape(batch, tokens, -1), weights);
    }

    BackboneStep.Attention described(WeightTable weights) {
        return new BackboneStep.Attention(
                norm.described(weights),
                qkv.described(weights),
                out.described(weights),
                new BackboneStep.Scale(scale, weights.get(scale)),
                heads);
    }
}
