package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.internal.ConvNextSteps;
import io.github.gramian.backbone.internal.ResNetSteps;
import io.github.gramian.backbone.internal.VggSteps;
import io.github.gramian.backbone.internal.VitSteps;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    /**
     * PyTorch's names: torchvision's are ours; timm's differ in the classifier of VGG, and in later networks. An
     * unknown name is returned unchanged, so that the check reports it.
     */
    public static ForeignName torch(Architecture architecture, String name) {
        Blueprint blueprint = Blueprint.of(architecture);
        if (blueprint instanceof ConvNextSteps) {
            return ConvNextNames.torch(name);
        }
        if (blueprint instanceof VitSteps) {
            return TransformerNames.torch(name);
        }
        if (blueprint instanceof VggSteps) {
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
        if (Blueprint.of(architecture) instanceof ResNetSteps) {
            ours = kerasResidual(layer);
        } else if (Blueprint.of(architecture) instanceof VggSteps vgg) {
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
}
