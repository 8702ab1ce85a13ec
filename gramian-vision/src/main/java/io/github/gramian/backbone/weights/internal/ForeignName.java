package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.internal.Blueprint.ConvNext;
import io.github.gramian.backbone.internal.Blueprint.ResNet;
import io.github.gramian.backbone.internal.Blueprint.Vgg;
import io.github.gramian.backbone.internal.Blueprint.Vit;
import io.github.gramian.backbone.internal.WeightTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** What a foreign name means here: our name (torchvision's) and the memory layout. */
public record ForeignName(String ours, Layout layout) {

    private static final Map<String, String> TIMM_VGG =
            Map.of("pre_logits.fc1", "classifier.0", "pre_logits.fc2", "classifier.3", "head.fc", "classifier.6");

    private static final Map<String, String> KERAS_PARTS = Map.of(
            "kernel", "weight",
            "bias", "bias",
            "gamma", "weight",
            "beta", "bias",
            "moving_mean", "running_mean",
            "moving_variance", "running_var");

    /** The layers of a Keras ResNet outside its blocks. */
    private static final Map<String, String> KERAS_SINGLE = Map.of(
            "conv1", "conv1",
            "conv1_conv", "conv1",
            "bn_conv1", "bn1",
            "conv1_bn", "bn1",
            "fc1000", "fc",
            "probs", "fc",
            "predictions", "fc");

    /** {@code res4b_branch2a}, {@code bn4b_branch1}. */
    private static final Pattern FIRST_KERAS = Pattern.compile("(res|bn)([2-5])([a-z])_branch(1|2[abc])");
    /** {@code conv4_block2_1_conv}, {@code conv4_block1_0_bn}. */
    private static final Pattern KERAS_APPLICATIONS = Pattern.compile("conv([2-5])_block(\\d{1,2})_([0-3])_(conv|bn)");

    private static final Pattern KERAS_VGG = Pattern.compile("block([1-5])_conv([1-4])");

    /** {@code stages.2.blocks.5.conv_dw.weight} of timm, {@code stages.2.5.dwconv.weight} of the original. */
    private static final Pattern CONVNEXT_BLOCK =
            Pattern.compile("stages\\.([0-3])\\.(?:blocks\\.)?(\\d{1,2})\\.([a-z0-9_.]+?)(\\.weight|\\.bias)?");

    /** {@code stages.2.downsample.0} of timm, {@code downsample_layers.2.0} of the original, whose stem is number 0. */
    private static final Pattern CONVNEXT_HALVING = Pattern.compile(
            "(?:stages\\.([1-3])\\.downsample|downsample_layers\\.([0-3]))\\.([01])(\\.weight|\\.bias)");

    private static final Pattern CONVNEXT_OUTSIDE =
            Pattern.compile("(stem\\.0|stem\\.1|head\\.norm|head\\.fc|norm|head)(\\.weight|\\.bias)");

    private static final Map<String, String> CONVNEXT_INSIDE = Map.of(
            "conv_dw", "block.0",
            "dwconv", "block.0",
            "norm", "block.2",
            "mlp.fc1", "block.3",
            "pwconv1", "block.3",
            "mlp.fc2", "block.5",
            "pwconv2", "block.5",
            "gamma", "layer_scale");

    private static final Map<String, String> CONVNEXT_SINGLE = Map.of(
            "stem.0", "features.0.0",
            "stem.1", "features.0.1",
            "head.norm", "classifier.0",
            "norm", "classifier.0",
            "head.fc", "classifier.2",
            "head", "classifier.2");

    /** What DINOv2 puts in the place of patches while it is trained; nothing else needs it. */
    public static final String MASK_TOKEN = "mask_token";

    private static final String TIMM_REGISTERS = "reg_token";

    /**
     * PyTorch's names: torchvision's are ours; timm's differ in the classifier of VGG, and in later networks. An
     * unknown name is returned unchanged, so that the check reports it.
     */
    public static ForeignName torch(Architecture architecture, String name) {
        Blueprint blueprint = Blueprint.of(architecture);
        if (blueprint instanceof ConvNext) {
            return convNext(name);
        }
        if (blueprint instanceof Vit) {
            return transformer(name);
        }
        if (blueprint instanceof Vgg) {
            int dot = name.lastIndexOf('.');
            String ours = dot < 0 ? null : TIMM_VGG.get(name.substring(0, dot));
            if (ours != null) {
                boolean matrix = name.endsWith(".weight") && name.startsWith("pre_logits");
                return new ForeignName(ours + name.substring(dot), matrix ? Layout.CONVOLUTIONAL_MATRIX : Layout.SAME);
            }
        }
        return new ForeignName(name, Layout.SAME);
    }

    /** Keras' names as {@code layer/part}; empty when the network has no such layer. */
    public static Optional<ForeignName> keras(Architecture architecture, String name) {
        int slash = name.indexOf('/');
        String part = slash < 0 ? null : KERAS_PARTS.get(name.substring(slash + 1));
        if (part == null) {
            return Optional.empty();
        }
        String layer = name.substring(0, slash);
        Optional<String> ours = Optional.empty();
        if (Blueprint.of(architecture) instanceof ResNet) {
            ours = kerasResidual(layer);
        } else if (Blueprint.of(architecture) instanceof Vgg vgg) {
            ours = kerasVgg(vgg.depths(), layer);
        }
        boolean kernel = name.endsWith("/kernel");
        return ours.map(prefix -> new ForeignName(prefix + "." + part, kernel ? kernelLayout(layer) : Layout.SAME));
    }

    private static Layout kernelLayout(String layer) {
        return switch (layer) {
            case "fc1" -> Layout.FLATTENED_CHANNELS_LAST;
            case "fc2", "predictions", "fc1000", "probs" -> Layout.TRANSPOSED;
            default -> Layout.HWIO_KERNEL;
        };
    }

    private static Optional<String> kerasResidual(String layer) {
        Optional<String> single = Optional.ofNullable(KERAS_SINGLE.get(layer));
        if (single.isPresent()) {
            return single;
        }
        Matcher first = FIRST_KERAS.matcher(layer);
        if (first.matches()) {
            String branch = first.group(4);
            int place = branch.equals("1") ? 0 : branch.charAt(1) - 'a' + 1;
            return Optional.of(block(
                    first.group(2),
                    first.group(3).charAt(0) - 'a',
                    place,
                    first.group(1).equals("bn")));
        }
        Matcher later = KERAS_APPLICATIONS.matcher(layer);
        if (later.matches()) {
            return Optional.of(block(
                    later.group(1),
                    Integer.parseInt(later.group(2)) - 1,
                    Integer.parseInt(later.group(3)),
                    later.group(4).equals("bn")));
        }
        return Optional.empty();
    }

    private static String block(String stage, int block, int place, boolean norm) {
        String prefix = "layer" + (Integer.parseInt(stage) - 1) + "." + block + ".";
        if (place == 0) {
            return prefix + (norm ? "downsample.1" : "downsample.0");
        }
        return prefix + (norm ? "bn" : "conv") + place;
    }

    private static Optional<String> kerasVgg(List<Integer> depths, String layer) {
        Matcher matcher = KERAS_VGG.matcher(layer);
        if (matcher.matches()) {
            int stage = Integer.parseInt(matcher.group(1));
            int convolution = Integer.parseInt(matcher.group(2));
            if (convolution > depths.get(stage - 1)) {
                return Optional.empty();
            }
            // torchvision counts a convolution and its ReLU as two, a pooling as one.
            int before = depths.subList(0, stage - 1).stream()
                    .mapToInt(depth -> 2 * depth + 1)
                    .sum();
            return Optional.of("features." + (before + 2 * (convolution - 1)));
        }
        return Optional.ofNullable(Map.of("fc1", "classifier.0", "fc2", "classifier.3", "predictions", "classifier.6")
                .get(layer));
    }

    /** The meaning of a name. An unknown name is returned unchanged, so that the check reports it. */
    private static ForeignName convNext(String name) {
        Matcher block = CONVNEXT_BLOCK.matcher(name);
        if (block.matches() && CONVNEXT_INSIDE.containsKey(block.group(3))) {
            int stage = Integer.parseInt(block.group(1));
            String part = block.group(4) == null ? "" : block.group(4);
            String ours = "features." + (2 * stage + 1) + "." + block.group(2) + "."
                    + CONVNEXT_INSIDE.get(block.group(3)) + part;
            return new ForeignName(ours, ours.endsWith(".layer_scale") ? Layout.CHANNEL_SCALE : Layout.SAME);
        }
        Matcher halving = CONVNEXT_HALVING.matcher(name);
        if (halving.matches()) {
            String stage = halving.group(1) == null ? halving.group(2) : halving.group(1);
            String ours = "features." + 2 * Integer.parseInt(stage) + "." + halving.group(3) + halving.group(4);
            return new ForeignName(ours, Layout.SAME);
        }
        Matcher outside = CONVNEXT_OUTSIDE.matcher(name);
        if (outside.matches()) {
            return new ForeignName(CONVNEXT_SINGLE.get(outside.group(1)) + outside.group(2), Layout.SAME);
        }
        return new ForeignName(name, Layout.SAME);
    }

    /** The meaning of a name. An unknown name is returned unchanged, so that the check reports it. */
    private static ForeignName transformer(String name) {
        return switch (name) {
            case TIMM_REGISTERS -> new ForeignName("register_tokens", Layout.SAME);
            case "pos_embed" -> new ForeignName(name, Layout.POSITIONS);
            default -> new ForeignName(name, Layout.SAME);
        };
    }

    /** Which variant a file is of: registers are recognised by name; without any, timm's files lack the original's mask token. */
    public static Variant transformerVariant(Set<String> names) {
        if (names.contains(TIMM_REGISTERS) || names.contains("register_tokens")) {
            return Variant.DINOV2_REGISTERS;
        }
        return names.contains(MASK_TOKEN) ? Variant.DINOV2 : Variant.TIMM;
    }

    /** How a foreign weight is transposed to become ours; values are moved, never changed. */
    public enum Layout {
        /** Already ours. */
        SAME(shape -> shape, tensor -> tensor),
        /** A kernel as [height, width, inputs, outputs]. */
        HWIO_KERNEL(
                shape -> shape.size() == 4 ? List.of(shape.get(3), shape.get(2), shape.get(0), shape.get(1)) : shape,
                tensor -> tensor.permute(3, 2, 0, 1)),
        /** A matrix as [inputs, outputs]. */
        TRANSPOSED(Layout::exchanged, tensor -> tensor.permute(1, 0)),
        /** A matrix as [7·7·512, outputs] after a flattening that runs over channels fastest; ours runs over them slowest. */
        FLATTENED_CHANNELS_LAST(
                Layout::exchanged,
                tensor -> tensor.reshape(7, 7, -1, tensor.size(1))
                        .permute(3, 2, 0, 1)
                        .reshape(tensor.size(1), -1)),
        /** A fully connected layer stored as the convolution [outputs, inputs, height, width] that computes the same. */
        CONVOLUTIONAL_MATRIX(
                shape -> shape.size() == 4 ? List.of(shape.get(0), shape.get(1) * shape.get(2) * shape.get(3)) : shape,
                tensor -> tensor.reshape(tensor.size(0), -1)),
        /** One value per channel, as [channels]; ours are [channels, 1, 1]. */
        CHANNEL_SCALE(
                shape -> shape.size() == 1 ? List.of(shape.get(0), 1L, 1L) : shape, tensor -> tensor.reshape(-1, 1, 1)),
        /**
         * Embeddings of positions. With registers, timm has none for the class token, because it has added it to the token itself;
         * ours is zero then.
         */
        POSITIONS(
                shape -> lacksClass(shape) ? List.of(1L, shape.get(1) + 1, shape.get(2)) : shape,
                tensor -> lacksClass(WeightTable.shape(tensor)) ? torch.constant_pad_nd(tensor, 0, 0, 1, 0) : tensor);

        @SuppressWarnings("ImmutableEnumChecker") // a function without state
        private final UnaryOperator<List<Long>> shape;

        @SuppressWarnings("ImmutableEnumChecker") // a function without state
        private final UnaryOperator<Tensor> values;

        Layout(UnaryOperator<List<Long>> shape, UnaryOperator<Tensor> values) {
            this.shape = shape;
            this.values = values;
        }

        /** The shape in our layout. A shape that does not fit is returned unchanged, so that the check reports it. */
        public List<Long> shape(List<Long> foreign) {
            return shape.apply(foreign);
        }

        /** The foreign weight in our layout, of the shape that {@link #shape} returns. */
        public Tensor apply(Tensor foreign) {
            return values.apply(foreign);
        }

        private static List<Long> exchanged(List<Long> shape) {
            return shape.size() == 2 ? List.of(shape.get(1), shape.get(0)) : shape;
        }

        /** A square number of positions is a grid without a class token. */
        private static boolean lacksClass(List<Long> shape) {
            if (shape.size() != 3 || shape.get(1) < 1) {
                return false;
            }
            long side = Math.round(Math.sqrt(shape.get(1)));
            return side * side == shape.get(1);
        }
    }
}
