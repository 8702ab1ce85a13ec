package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Layers.Attention;
import io.github.gramian.backbone.internal.Layers.BatchNorm;
import io.github.gramian.backbone.internal.Layers.Convolution;
import io.github.gramian.backbone.internal.Layers.LayerNorm;
import io.github.gramian.backbone.internal.Layers.Linear;
import io.github.gramian.backbone.internal.Layers.Mlp;
import io.github.gramian.backbone.internal.Layers.PositionEmbedding;
import io.github.gramian.backbone.internal.Step.ClassToken;
import io.github.gramian.backbone.internal.Step.Connected;
import io.github.gramian.backbone.internal.Step.ConvNextBlock;
import io.github.gramian.backbone.internal.Step.Convolved;
import io.github.gramian.backbone.internal.Step.Embedding;
import io.github.gramian.backbone.internal.Step.Grid;
import io.github.gramian.backbone.internal.Step.Pooled;
import io.github.gramian.backbone.internal.Step.PooledNorm;
import io.github.gramian.backbone.internal.Step.Residual;
import io.github.gramian.backbone.internal.Step.Stem;
import io.github.gramian.backbone.internal.Step.TransformerBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the networks of one family are built. An instance with its sizes, such as the depths of stages, is one network. */
public sealed interface Blueprint {

    /** The blueprint of a built-in network. */
    static Blueprint of(Architecture architecture) {
        return switch (architecture) {
            case VGG16 -> new Vgg(List.of(2, 2, 3, 3, 3));
            case VGG19 -> new Vgg(List.of(2, 2, 4, 4, 4));
            case RESNET18_TINY -> new ResNet(List.of(2, 2, 2, 2), false, 8);
            case RESNET18 -> new ResNet(List.of(2, 2, 2, 2), false);
            case RESNET34 -> new ResNet(List.of(3, 4, 6, 3), false);
            case RESNET50 -> new ResNet(List.of(3, 4, 6, 3), true);
            case RESNET101 -> new ResNet(List.of(3, 4, 23, 3), true);
            case CONVNEXT_TINY -> new ConvNext(List.of(3, 3, 9, 3), 96);
            case CONVNEXT_SMALL -> new ConvNext(List.of(3, 3, 27, 3), 96);
            case CONVNEXT_BASE -> new ConvNext(List.of(3, 3, 27, 3), 128);
            case VITS14 -> new Vit(12, 6);
            case VITB14 -> new Vit(12, 12);
            case VITL14 -> new Vit(24, 16);
        };
    }

    /** The variants it exists in; the first is what random weights are drawn for. */
    List<Variant> variants();

    /**
     * Its steps from images to its last layer.
     *
     * @param classes number of classes of its classifier; 0 for none
     */
    List<Step> steps(Variant variant, int classes);

    /** What the name of its last layer is in files, such as {@code fc}; empty if it never has a classifier. */
    String classifier();

    /**
     * Whether the first layer must not run below float. Pixels have more digits than bfloat16: with the first layer in it,
     * the features of a ResNet-50 are up to 3.0 % off, otherwise up to 2.4 % (RealResNet50Test repeats that on the worst
     * images). A VGG's first layer is costly, and its features are nearer to float's anyway.
     */
    default boolean firstLayerInFloat() {
        return true;
    }

    /** What the sides of its images must be multiples of. */
    default int granularity() {
        return 1;
    }

    /**
     * VGG: stages of 3×3 convolutions with ReLU, each ended by a 2×2 max-pooling, and three fully connected layers. Weights
     * have torchvision's names, where an index counts convolutions, ReLUs and poolings alike.
     *
     * @param depths how many convolutions the stages have
     */
    public record Vgg(List<Integer> depths) implements Blueprint {

        private static final int[] CHANNELS = {64, 128, 256, 512, 512};
        private static final int HIDDEN = 4096;
        private static final int GRID = 7;

        public Vgg {
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
                    steps.add(new Convolved(
                            new Tap("conv" + place, aliases, outputs, stride),
                            new Convolution("features." + index, inputs, outputs, 3, 1, 1, true, null)));
                    inputs = outputs;
                    index += 2;
                }
                List<String> aliases = List.of("block" + stage + "_pool", "features." + index);
                steps.add(new Pooled(new Tap("pool" + stage, aliases, outputs, 2 * stride), 2, 0));
                index++;
            }
            if (classes > 0) {
                addClassifier(steps, inputs, classes);
            }
            return steps;
        }

        private static void addClassifier(List<Step> steps, int channels, int classes) {
            int flat = channels * GRID * GRID;
            steps.add(new Grid(new Tap("flatten", List.of("avgpool"), flat, 0), GRID));
            steps.add(new Connected(
                    new Tap("fc6", List.of("fc1", "classifier.1"), HIDDEN, 0),
                    new Linear("classifier.0", flat, HIDDEN),
                    true));
            steps.add(new Connected(
                    new Tap("fc7", List.of("fc2", "classifier.4"), HIDDEN, 0),
                    new Linear("classifier.3", HIDDEN, HIDDEN),
                    true));
            steps.add(new Connected(
                    new Tap("fc8", List.of("logits", "fc", "classifier.6"), classes, 0),
                    new Linear("classifier.6", HIDDEN, classes),
                    false));
        }
    }

    /**
     * ResNet: a 7×7 convolution, a max-pooling, four stages of residual blocks, an average and a fully connected layer. A basic
     * block is 3×3, 3×3; a bottleneck is 1×1, 3×3, 1×1 with four times as many channels after it. The first block of the last
     * three stages halves the map: on the 3×3 in torchvision, on the first 1×1 in Caffe and Keras.
     *
     * @param depths number of blocks per stage
     * @param width number of channels of the first convolution and of the first stage; each later stage has twice as many
     */
    public record ResNet(List<Integer> depths, boolean bottleneck, int width) implements Blueprint {

        private static final int PUBLISHED_WIDTH = 64;

        public ResNet {
            depths = List.copyOf(depths);
        }

        /** The published width. */
        public ResNet(List<Integer> depths, boolean bottleneck) {
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
        private record Builder(Variant variant, ResNet network) {

            List<Step> of(int classes) {
                int first = network.width();
                List<Step> steps = new ArrayList<>();
                steps.add(new Convolved(
                        new Tap("conv1", List.of("relu"), first, 2), convolution("conv1", "bn1", 3, first, 7, 2)));
                steps.add(new Pooled(new Tap("pool1", List.of("maxpool"), first, 4), 3, 1));
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
                    steps.add(new Grid(new Tap("pool5", List.of("avgpool", "avg_pool"), inputs, 0), 1));
                    steps.add(new Connected(
                            new Tap("fc", List.of("logits", "fc1000"), classes, 0),
                            new Linear("fc", inputs, classes),
                            false));
                }
                return steps;
            }

            private Residual block(int stage, int block, int depth, int inputs, int width, int stride) {
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
                return new Residual(tap(stage, block, depth, outputs), path, shortcut);
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

    /**
     * ConvNeXt: a stem that turns patches of 4×4 pixels into channels, four stages of blocks, each stage but the first halving the
     * map, an average, a norm and a fully connected layer. Weights have torchvision's names; timm's and the original's networks
     * compute the same.
     *
     * @param depths how many blocks the stages have
     * @param width channels of the first stage; each stage doubles them
     */
    public record ConvNext(List<Integer> depths, int width) implements Blueprint {

        private static final int PATCH = 4;
        private static final int KERNEL = 7;
        private static final int EXPANSION = 4;

        public ConvNext {
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
            steps.add(new Stem(
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
                steps.add(new PooledNorm(
                        new Tap("pool", List.of("classifier.0", "head.norm"), channels, 0),
                        new LayerNorm("classifier.0", channels)));
                steps.add(new Connected(
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
        private ConvNextBlock block(int stage, int block) {
            int channels = channels(stage);
            int before = 2 * stage - 2;
            String prefix = "features." + (before + 1) + "." + (block - 1);
            ConvNextBlock.Halving halving = stage == 1 || block > 1
                    ? null
                    : new ConvNextBlock.Halving(
                            new LayerNorm("features." + before + ".0", channels / 2),
                            new Convolution("features." + before + ".1", channels / 2, channels, 2, 2, 0, true, null));
            return new ConvNextBlock(
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

    /**
     * A vision transformer with DINOv2's details: patches of 14×14 pixels, a class token, four register tokens in one of its
     * variants, LayerScale, and a norm after the last block. Weights have the original's names. It has no classifier; its last
     * layer is the class token.
     *
     * @param depth number of blocks
     * @param heads of the attention, each with 64 channels
     */
    public record Vit(int depth, int heads) implements Blueprint {

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
            PositionEmbedding positions =
                    variant == Variant.DINOV2 ? PositionEmbedding.OFFSET : PositionEmbedding.SMOOTHED;
            int registers = variant == Variant.DINOV2_REGISTERS ? 4 : 0;
            List<Step> steps = new ArrayList<>();
            steps.add(new Embedding(
                    new Tap("embed", List.of("patch_embed"), channels, PATCH),
                    new Convolution("patch_embed.proj", 3, channels, PATCH, PATCH, 0, true, null),
                    positions,
                    registers));
            for (int block = 1; block <= depth; block++) {
                LayerNorm last = block == depth ? new LayerNorm("norm", channels) : null;
                steps.add(block(block, channels, last, 1 + registers));
            }
            steps.add(new ClassToken(new Tap("cls", List.of("x_norm_clstoken", "cls_token"), channels, 0)));
            return steps;
        }

        private TransformerBlock block(int block, int channels, @Nullable LayerNorm last, int prefixTokens) {
            String prefix = "blocks." + (block - 1);
            List<String> aliases = new ArrayList<>(List.of(prefix));
            if (last != null) {
                aliases.addAll(List.of("norm", "x_norm_patchtokens"));
            }
            return new TransformerBlock(
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
}
