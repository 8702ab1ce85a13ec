package io.github.gramian.backbone;

import io.github.gramian.backbone.internal.ResNetSteps;
import io.github.gramian.backbone.internal.Step;
import io.github.gramian.backbone.internal.VggSteps;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The built-in networks. Load any other as a TorchScript file. */
public enum Architecture {
    VGG16(Family.VGG, 2, 2, 3, 3, 3),
    VGG19(Family.VGG, 2, 2, 4, 4, 4),
    RESNET18(Family.RESNET_BASIC, 2, 2, 2, 2),
    RESNET34(Family.RESNET_BASIC, 3, 4, 6, 3),
    RESNET50(Family.RESNET_BOTTLENECK, 3, 4, 6, 3),
    RESNET101(Family.RESNET_BOTTLENECK, 3, 4, 23, 3);

    private enum Family {
        VGG(List.of(Variant.TORCHVISION, Variant.KERAS)) {
            @Override
            List<Step> steps(List<Integer> depths, Variant variant, int classes) {
                return VggSteps.of(depths, classes);
            }
        },
        RESNET_BASIC(List.of(Variant.TORCHVISION)) {
            @Override
            List<Step> steps(List<Integer> depths, Variant variant, int classes) {
                return new ResNetSteps(variant, false).of(depths, classes);
            }
        },
        RESNET_BOTTLENECK(List.of(Variant.values())) {
            @Override
            List<Step> steps(List<Integer> depths, Variant variant, int classes) {
                return new ResNetSteps(variant, true).of(depths, classes);
            }
        };

        @SuppressWarnings("ImmutableEnumChecker") // always a List.of
        private final List<Variant> variants;

        Family(List<Variant> variants) {
            this.variants = variants;
        }

        abstract List<Step> steps(List<Integer> depths, Variant variant, int classes);
    }

    private final Family family;

    @SuppressWarnings("ImmutableEnumChecker") // always a List.of
    private final List<Integer> depths;

    Architecture(Family family, Integer... depths) {
        this.family = family;
        this.depths = List.of(depths);
    }

    /** The architecture with this key, such as {@code resnet50}. */
    public static Architecture named(String key) {
        return Arrays.stream(values())
                .filter(architecture -> architecture.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no architecture '" + key + "'; choose one of "
                        + Arrays.stream(values()).map(Architecture::key).collect(Collectors.joining(", "))
                        + ", or bring the network as a TorchScript file"));
    }

    /** The name used in files and settings. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The variants it exists in. */
    public List<Variant> variants() {
        return family.variants;
    }

    /** Whether it is a residual network; otherwise it is a VGG. */
    public boolean isResidual() {
        return family != Family.VGG;
    }

    /** How many convolutions (VGG) or blocks (ResNet) its stages have. */
    public List<Integer> depths() {
        return depths;
    }

    public List<Step> steps(Variant variant, int classes) {
        return family.steps(depths, variant, classes);
    }
}
