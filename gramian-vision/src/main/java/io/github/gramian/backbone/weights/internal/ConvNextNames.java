package io.github.gramian.backbone.weights.internal;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of ConvNeXt's weights: torchvision's are ours; timm's and the original's are recognised by their stages. */
final class ConvNextNames {

    /** {@code stages.2.blocks.5.conv_dw.weight} of timm, {@code stages.2.5.dwconv.weight} of the original. */
    private static final Pattern BLOCK =
            Pattern.compile("stages\\.([0-3])\\.(?:blocks\\.)?(\\d{1,2})\\.([a-z0-9_.]+?)(\\.weight|\\.bias)?");

    /** {@code stages.2.downsample.0} of timm, {@code downsample_layers.2.0} of the original, whose stem is number 0. */
    private static final Pattern HALVING = Pattern.compile(
            "(?:stages\\.([1-3])\\.downsample|downsample_layers\\.([0-3]))\\.([01])(\\.weight|\\.bias)");

    private static final Pattern OUTSIDE =
            Pattern.compile("(stem\\.0|stem\\.1|head\\.norm|head\\.fc|norm|head)(\\.weight|\\.bias)");

    private static final Map<String, String> INSIDE = Map.of(
            "conv_dw", "block.0",
            "dwconv", "block.0",
            "norm", "block.2",
            "mlp.fc1", "block.3",
            "pwconv1", "block.3",
            "mlp.fc2", "block.5",
            "pwconv2", "block.5",
            "gamma", "layer_scale");

    private static final Map<String, String> SINGLE = Map.of(
            "stem.0", "features.0.0",
            "stem.1", "features.0.1",
            "head.norm", "classifier.0",
            "norm", "classifier.0",
            "head.fc", "classifier.2",
            "head", "classifier.2");

    private ConvNextNames() {}

    /** The meaning of a name. An unknown name is returned unchanged, so that the check reports it. */
    static ForeignName torch(String name) {
        Matcher block = BLOCK.matcher(name);
        if (block.matches() && INSIDE.containsKey(block.group(3))) {
            int stage = Integer.parseInt(block.group(1));
            String part = block.group(4) == null ? "" : block.group(4);
            String ours =
                    "features." + (2 * stage + 1) + "." + block.group(2) + "." + INSIDE.get(block.group(3)) + part;
            return new ForeignName(ours, ours.endsWith(".layer_scale") ? Layout.CHANNEL_SCALE : Layout.SAME);
        }
        Matcher halving = HALVING.matcher(name);
        if (halving.matches()) {
            String stage = halving.group(1) == null ? halving.group(2) : halving.group(1);
            String ours = "features." + 2 * Integer.parseInt(stage) + "." + halving.group(3) + halving.group(4);
            return new ForeignName(ours, Layout.SAME);
        }
        Matcher outside = OUTSIDE.matcher(name);
        if (outside.matches()) {
            return new ForeignName(SINGLE.get(outside.group(1)) + outside.group(2), Layout.SAME);
        }
        return new ForeignName(name, Layout.SAME);
    }
}
