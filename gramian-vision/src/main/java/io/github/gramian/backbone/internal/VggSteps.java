package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import java.util.ArrayList;
import java.util.List;

/**
 * VGG: stages of 3×3 convolutions with ReLU, each ended by a 2×2 max-pooling, and three fully connected layers. Weights
 * have torchvision's names, where an index counts convolutions, ReLUs and poolings alike.
 *
 * @param depths how many convolutions the stages have
 */
public record VggSteps(List<Integer> depths) implements Blueprint {

    private static final int[] CHANNELS = {64, 128, 256, 512, 512};
    private static final int HIDDEN = 4096;
    private static final int GRID = 7;

    public VggSteps {
        depths = List.copyOf(depths);
    }

    @Override
    public List<Variant> variants() {
        return List.of(Variant.TORCHVISION, Variant.KERAS);
    }

    @Override
    public String classifier() {
        return "classifier.6";
    }

    @Override
    public boolean firstLayerInFloat() {
        return false;
    }

    @Override
    public List<Step> steps(Variant variant, int classes) {
        List<Step> steps = new ArrayList<>();
        int index = 0;
        int inputs = 3;
        for (int stage = 1; stage <= depths.size(); stage++) {
            int outputs = CHANNELS[stage - 1];
            int stride = 1 << (stage - 1);
            for (int layer = 1; layer <= depths.get(stage - 1); layer++) {
                String place = stage + "_" + layer;
                List<String> aliases =
                        List.of("relu" + place, "block" + stage + "_conv" + layer, "features." + (index + 1));
                steps.add(new ConvolutionStep(
                        new Tap("conv" + place, aliases, outputs, stride),
                        new Convolution("features." + index, inputs, outputs, 3, 1, 1, true, null)));
                inputs = outputs;
                index += 2;
            }
            List<String> aliases = List.of("block" + stage + "_pool", "features." + index);
            steps.add(new PoolStep(new Tap("pool" + stage, aliases, outputs, 2 * stride), 2, 0));
            index++;
        }
        if (classes > 0) {
            addClassifier(steps, inputs, classes);
        }
        return steps;
    }

    private static void addClassifier(List<Step> steps, int channels, int classes) {
        int flat = channels * GRID * GRID;
        steps.add(new GridStep(new Tap("flatten", List.of("avgpool"), flat, 0), GRID));
        steps.add(new LinearStep(
                new Tap("fc6", List.of("fc1", "classifier.1"), HIDDEN, 0),
                new Linear("classifier.0", flat, HIDDEN),
                true));
        steps.add(new LinearStep(
                new Tap("fc7", List.of("fc2", "classifier.4"), HIDDEN, 0),
                new Linear("classifier.3", HIDDEN, HIDDEN),
                true));
        steps.add(new LinearStep(
                new Tap("fc8", List.of("logits", "fc", "classifier.6"), classes, 0),
                new Linear("classifier.6", HIDDEN, classes),
                false));
    }
}
