package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ResNet: a 7×7 convolution, a max-pooling, four stages of residual blocks, an average and a fully connected layer. A basic
 * block is 3×3, 3×3; a bottleneck is 1×1, 3×3, 1×1 with four times as many channels after it. The first block of the last
 * three stages halves the map: on the 3×3 in torchvision, on the first 1×1 in Caffe and Keras.
 *
 * @param depths number of blocks per stage
 * @param width number of channels of the first convolution and of the first stage; each later stage has twice as many
 */
public record ResNetSteps(List<Integer> depths, boolean bottleneck, int width) implements Blueprint {

    private static final int PUBLISHED_WIDTH = 64;

    public ResNetSteps {
        depths = List.copyOf(depths);
    }

    /** The published width. */
    public ResNetSteps(List<Integer> depths, boolean bottleneck) {
        this(depths, bottleneck, PUBLISHED_WIDTH);
    }

    @Override
    public List<Variant> variants() {
        return bottleneck
                ? List.of(Variant.TORCHVISION, Variant.KERAS, Variant.KERAS_APPLICATIONS)
                : List.of(Variant.TORCHVISION);
    }

    @Override
    public String classifier() {
        return "fc";
    }

    @Override
    public List<Step> steps(Variant variant, int classes) {
        return new Builder(variant, this).of(classes);
    }

    /** The steps of one variant. */
    private record Builder(Variant variant, ResNetSteps network) {

        List<Step> of(int classes) {
            int first = network.width();
            List<Step> steps = new ArrayList<>();
            steps.add(new ConvolutionStep(
                    new Tap("conv1", List.of("relu"), first, 2), convolution("conv1", "bn1", 3, first, 7, 2)));
            steps.add(new PoolStep(new Tap("pool1", List.of("maxpool"), first, 4), 3, 1));
            int inputs = first;
            for (int stage = 1; stage <= network.depths().size(); stage++) {
                int width = first << (stage - 1);
                int depth = network.depths().get(stage - 1);
                for (int block = 0; block < depth; block++) {
                    int stride = block == 0 && stage > 1 ? 2 : 1;
                    steps.add(block(stage, block, depth, inputs, width, stride));
                    inputs = outputs(width);
                }
            }
            if (classes > 0) {
                steps.add(new GridStep(new Tap("pool5", List.of("avgpool", "avg_pool"), inputs, 0), 1));
                steps.add(new LinearStep(
                        new Tap("fc", List.of("logits", "fc1000"), classes, 0),
                        new Linear("fc", inputs, classes),
                        false));
            }
            return steps;
        }

        private ResidualStep block(int stage, int block, int depth, int inputs, int width, int stride) {
            String prefix = "layer" + stage + "." + block;
            int outputs = outputs(width);
            List<Convolution> path = new ArrayList<>();
            if (network.bottleneck()) {
                int first = variant.strideFirst() ? stride : 1;
                path.add(convolution(prefix + ".conv1", prefix + ".bn1", inputs, width, 1, first));
                path.add(convolution(prefix + ".conv2", prefix + ".bn2", width, width, 3, stride / first));
                path.add(convolution(prefix + ".conv3", prefix + ".bn3", width, outputs, 1, 1));
            } else {
                path.add(convolution(prefix + ".conv1", prefix + ".bn1", inputs, width, 3, stride));
                path.add(convolution(prefix + ".conv2", prefix + ".bn2", width, width, 3, 1));
            }
            @Nullable
            Convolution shortcut = stride == 1 && inputs == outputs
                    ? null
                    : convolution(prefix + ".downsample.0", prefix + ".downsample.1", inputs, outputs, 1, stride);
            return new ResidualStep(tap(stage, block, depth, outputs), path, shortcut);
        }

        /** Number of channels after a block. */
        private int outputs(int width) {
            return network.bottleneck() ? 4 * width : width;
        }

        /** {@code res4f} is the sixth block of the third stage; Caffe counts long stages as {@code res4a, res4b1, res4b2}. */
        private static Tap tap(int stage, int block, int depth, int channels) {
            String caffeStage = "res" + (stage + 1);
            List<String> aliases = new ArrayList<>();
            aliases.add("layer" + stage + "." + block);
            aliases.add("conv" + (stage + 1) + "_block" + (block + 1) + "_out");
            if (block > 0) {
                aliases.add(caffeStage + "b" + block);
            }
            if (block == depth - 1) {
                aliases.add("layer" + stage);
            }
            return new Tap(caffeStage + (char) ('a' + block), aliases, channels, 2 << stage);
        }

        private Convolution convolution(String name, String norm, int inputs, int outputs, int kernel, int stride) {
            return new Convolution(
                    name,
                    inputs,
                    outputs,
                    kernel,
                    stride,
                    kernel / 2,
                    variant.biases(),
                    new BatchNorm(norm, outputs, variant.epsilon()));
        }
    }
}
