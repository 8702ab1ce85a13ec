package io.github.gramian.backbone;

import io.github.gramian.backbone.internal.Blueprint;
import io.github.gramian.backbone.internal.ConvNextSteps;
import io.github.gramian.backbone.internal.ResNetSteps;
import io.github.gramian.backbone.internal.VggSteps;
import io.github.gramian.backbone.internal.VitSteps;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The networks that are built in: VGG, ResNet, ConvNeXt and the vision transformers of DINOv2. Any other is loaded as a
 * {@linkplain TorchScriptBackbone TorchScript file}.
 */
public enum Architecture {
    VGG16(new VggSteps(List.of(2, 2, 3, 3, 3))),
    VGG19(new VggSteps(List.of(2, 2, 4, 4, 4))),
    /** ResNet-18 with an eighth of the channels, for tests and trials: it is fast, and nobody publishes weights for it. */
    RESNET18_TINY(new ResNetSteps(List.of(2, 2, 2, 2), false, 8)),
    RESNET18(new ResNetSteps(List.of(2, 2, 2, 2), false)),
    RESNET34(new ResNetSteps(List.of(3, 4, 6, 3), false)),
    RESNET50(new ResNetSteps(List.of(3, 4, 6, 3), true)),
    RESNET101(new ResNetSteps(List.of(3, 4, 23, 3), true)),
    CONVNEXT_TINY(new ConvNextSteps(List.of(3, 3, 9, 3), 96)),
    CONVNEXT_SMALL(new ConvNextSteps(List.of(3, 3, 27, 3), 96)),
    CONVNEXT_BASE(new ConvNextSteps(List.of(3, 3, 27, 3), 128)),
    VITS14(new VitSteps(12, 6)),
    VITB14(new VitSteps(12, 12)),
    VITL14(new VitSteps(24, 16));

    @SuppressWarnings("ImmutableEnumChecker") // a record of numbers and a List.of
    private final Blueprint blueprint;

    Architecture(Blueprint blueprint) {
        this.blueprint = blueprint;
    }

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
        return blueprint.variants();
    }

    /** How it is put together. */
    public Blueprint blueprint() {
        return blueprint;
    }
}
