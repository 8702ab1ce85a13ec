package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.Variant;
import java.util.List;

/** How the networks of one family are built. An instance with its sizes, such as the depths of stages, is one network. */
public sealed interface Blueprint permits VggSteps, ResNetSteps, ConvNextSteps, VitSteps {

    /** The blueprint of a built-in network. */
    static Blueprint of(Architecture architecture) {
        return switch (architecture) {
            case VGG16 -> new VggSteps(List.of(2, 2, 3, 3, 3));
            case VGG19 -> new VggSteps(List.of(2, 2, 4, 4, 4));
            case RESNET18_TINY -> new ResNetSteps(List.of(2, 2, 2, 2), false, 8);
            case RESNET18 -> new ResNetSteps(List.of(2, 2, 2, 2), false);
            case RESNET34 -> new ResNetSteps(List.of(3, 4, 6, 3), false);
            case RESNET50 -> new ResNetSteps(List.of(3, 4, 6, 3), true);
            case RESNET101 -> new ResNetSteps(List.of(3, 4, 23, 3), true);
            case CONVNEXT_TINY -> new ConvNextSteps(List.of(3, 3, 9, 3), 96);
            case CONVNEXT_SMALL -> new ConvNextSteps(List.of(3, 3, 27, 3), 96);
            case CONVNEXT_BASE -> new ConvNextSteps(List.of(3, 3, 27, 3), 128);
            case VITS14 -> new VitSteps(12, 6);
            case VITB14 -> new VitSteps(12, 12);
            case VITL14 -> new VitSteps(24, 16);
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
}
