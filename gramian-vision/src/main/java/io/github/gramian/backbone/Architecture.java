package io.github.gramian.backbone;

import io.github.gramian.backbone.internal.Blueprint;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The networks that are built in: VGG, ResNet, ConvNeXt and the vision transformers of DINOv2. Any other is loaded as a
 * {@linkplain TorchScriptBackbone TorchScript file}.
 */
public enum Architecture {
    VGG16,
    VGG19,
    /** ResNet-18 with an eighth of the channels, for tests and trials: it is fast, and nobody publishes weights for it. */
    RESNET18_TINY,
    RESNET18,
    RESNET34,
    RESNET50,
    RESNET101,
    CONVNEXT_TINY,
    CONVNEXT_SMALL,
    CONVNEXT_BASE,
    VITS14,
    VITB14,
    VITL14;

    /** The architecture with this key, such as {@code resnet50}. */
    public static Architecture named(String key) {
        return Arrays.stream(values())
                .filter(architecture -> architecture.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no architecture '" + key + "'; choose one of " + keys()
                        + ", or bring the network as a TorchScript file"));
    }

    /** All keys, for people. */
    private static String keys() {
        return Arrays.stream(values()).map(Architecture::key).collect(Collectors.joining(", "));
    }

    /** The name used in files and settings. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The variants it exists in. */
    public List<Variant> variants() {
        return Blueprint.of(this).variants();
    }
}
