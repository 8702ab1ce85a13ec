package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A vision transformer with DINOv2's details: patches of 14×14 pixels, a class token, four register tokens in one of its
 * variants, LayerScale, and a norm after the last block. Weights have the original's names. It has no classifier; its last
 * layer is the class token.
 *
 * @param depth number of blocks
 * @param heads of the attention, each with 64 channels
 */
public record VitSteps(int depth, int heads) implements Blueprint {

    /** Side of a patch in pixels. */
    public static final int PATCH = 14;

    private static final int HEAD = 64;
    private static final int EXPANSION = 4;

    @Override
    public List<Variant> variants() {
        return List.of(Variant.DINOV2, Variant.DINOV2_REGISTERS, Variant.TIMM);
    }

    @Override
    public String classifier() {
        return "";
    }

    @Override
    public int granularity() {
        return PATCH;
    }

    @Override
    public List<Step> steps(Variant variant, int classes) {
        int channels = heads * HEAD;
        PositionEmbedding positions = variant == Variant.DINOV2 ? PositionEmbedding.OFFSET : PositionEmbedding.SMOOTHED;
        int registers = variant == Variant.DINOV2_REGISTERS ? 4 : 0;
        List<Step> steps = new ArrayList<>();
        steps.add(new EmbeddingStep(
                new Tap("embed", List.of("patch_embed"), channels, PATCH),
                new Convolution("patch_embed.proj", 3, channels, PATCH, PATCH, 0, true, null),
                positions,
                registers));
        for (int block = 1; block <= depth; block++) {
            LayerNorm last = block == depth ? new LayerNorm("norm", channels) : null;
            steps.add(block(block, channels, last, 1 + registers));
        }
        steps.add(new ClassTokenStep(new Tap("cls", List.of("x_norm_clstoken", "cls_token"), channels, 0)));
        return steps;
    }

    private TransformerStep block(int block, int channels, @Nullable LayerNorm last, int prefixTokens) {
        String prefix = "blocks." + (block - 1);
        List<String> aliases = new ArrayList<>(List.of(prefix));
        if (last != null) {
            aliases.addAll(List.of("norm", "x_norm_patchtokens"));
        }
        return new TransformerStep(
                new Tap("block" + block, aliases, channels, PATCH),
                new Attention(
                        new LayerNorm(prefix + ".norm1", channels),
                        new Linear(prefix + ".attn.qkv", channels, 3 * channels),
                        new Linear(prefix + ".attn.proj", channels, channels),
                        prefix + ".ls1.gamma",
                        heads),
                new Mlp(
                        new LayerNorm(prefix + ".norm2", channels),
                        new Linear(prefix + ".mlp.fc1", channels, EXPANSION * channels),
                        new Linear(prefix + ".mlp.fc2", EXPANSION * channels, channels),
                        prefix + ".ls2.gamma",
                        List.of((long) channels)),
                last,
                prefixTokens);
    }
}
