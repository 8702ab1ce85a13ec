package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Variant;
import java.util.List;

/** How the networks of one family are put together; with its numbers, such as the depths of stages, one network. */
public sealed interface Blueprint permits VggSteps, ResNetSteps, ConvNextSteps, VitSteps {

    /** The variants it exists in; the first is what random weights are drawn for. */
    List<Variant> variants();

    /**
     * Its steps from images to its last layer.
     *
     * @param classes of its own classifier; 0 for none
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
