package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import java.util.ArrayList;
import java.util.List;

/**
 * ConvNeXt: a stem that turns patches of 4×4 pixels into channels, four stages of blocks, each stage but the first halving the
 * map, an average, a norm and a fully connected layer. Weights have torchvision's names; timm's and the original's networks
 * compute the same.
 *
 * @param depths how many blocks the stages have
 * @param width channels of the first stage; each stage doubles them
 */
public record ConvNextSteps(List<Integer> depths, int width) implements Blueprint {

    private static final int PATCH = 4;
    private static final int KERNEL = 7;
    private static final int EXPANSION = 4;

    public ConvNextSteps {
        depths = List.copyOf(depths);
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.TORCHVISION);
    }

    @Override
    public String classifier() {
        return "classifier.2";
    }

    @Override
    public List<Step> steps(Variant variant, int classes) {
        List<Step> steps = new ArrayList<>();
        steps.add(new StemStep(
                new Tap("stem", List.of("features.0", "downsample_layers.0"), width, PATCH),
                new Convolution("features.0.0", 3, width, PATCH, PATCH, 0, true, null),
                new LayerNorm("features.0.1", width)));
        for (int stage = 1; stage <= depths.size(); stage++) {
            for (int block = 1; block <= depths.get(stage - 1); block++) {
                steps.add(block(stage, block));
            }
        }
        if (classes > 0) {
            int channels = channels(depths.size());
            steps.add(new PooledNormStep(
                    new Tap("pool", List.of("classifier.0", "head.norm"), channels, 0),
                    new LayerNorm("classifier.0", channels)));
            steps.add(new LinearStep(
                    new Tap("fc", List.of("logits", "classifier.2", "head.fc", "head"), classes, 0),
                    new Linear("classifier.2", channels, classes),
                    false));
        }
        return steps;
    }

    private int channels(int stage) {
        return width << (stage - 1);
    }

    /** torchvision counts the stem, the stages and what halves the map between them. */
    private ConvNextStep block(int stage, int block) {
        int channels = channels(stage);
        int before = 2 * stage - 2;
        String prefix = "features." + (before + 1) + "." + (block - 1);
        ConvNextStep.Halving halving = stage == 1 || block > 1
                ? null
                : new ConvNextStep.Halving(
                        new LayerNorm("features." + before + ".0", channels / 2),
                        new Convolution("features." + before + ".1", channels / 2, channels, 2, 2, 0, true, null));
        return new ConvNextStep(
                tap(stage, block, prefix),
                halving,
                new Convolution(prefix + ".block.0", 1, channels, KERNEL, 1, KERNEL / 2, true, null),
                new Mlp(
                        new LayerNorm(prefix + ".block.2", channels),
                        new Linear(prefix + ".block.3", channels, EXPANSION * channels),
                        new Linear(prefix + ".block.5", EXPANSION * channels, channels),
                        prefix + ".layer_scale",
                        List.of((long) channels, 1L, 1L)));
    }

    private Tap tap(int stage, int block, String torchvision) {
        List<String> aliases = new ArrayList<>();
        aliases.add(torchvision);
        aliases.add("stages." + (stage - 1) + ".blocks." + (block - 1));
        aliases.add("stages." + (stage - 1) + "." + (block - 1));
        if (block == depths.get(stage - 1)) {
            aliases.add("stage" + stage);
            aliases.add("stages." + (stage - 1));
            aliases.add("features." + (2 * stage - 1));
        }
        return new Tap("stage" + stage + "_" + block, aliases, channels(stage), PATCH << (stage - 1));
    }
}
