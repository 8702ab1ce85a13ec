package io.github.gramian.model.config;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.layer.Fidelity;
import java.util.List;

/**
 * One branch of a network: where features are taken and how they become a descriptor.
 *
 * @param tap layer of the backbone; {@code last} for the last convolutional layer
 * @param size side of the images that the backbone gets, in pixels
 * @param convolution number of channels after a 1×1 convolution; 0 for no convolution
 * @param rectify whether a ReLU follows the convolution
 * @param aggregator aggregation of feature maps to a vector
 * @param descriptor normalisation of the vector
 */
public record BranchConfig(
        String tap,
        int size,
        int convolution,
        boolean rectify,
        AggregatorConfig aggregator,
        DescriptorConfig descriptor) {

    /** Stands for the last convolutional layer of whatever backbone there is. */
    public static final String LAST = "last";

    public BranchConfig {
        if (tap.isBlank()) {
            throw new IllegalArgumentException(
                    "a branch needs a tap: the layer whose features it takes, such as res5c");
        }
        if (size < 1 || size > 4096) {
            throw new IllegalArgumentException("the size of a branch must lie in 1..4096 pixels but is " + size);
        }
        if (convolution < 0 || convolution > 65_536) {
            throw new IllegalArgumentException(
                    "convolution must lie in 0..65536 but is " + convolution + "; 0 means no convolution");
        }
    }

    /** The paper's layers with one transformation. */
    public static BranchConfig kernel(String tap, int size, int convolution, int outputDim) {
        return new BranchConfig(
                tap,
                size,
                convolution,
                true,
                new AggregatorConfig.SpdMatrix(
                        AggregationConfig.standard(Fidelity.EXACT), List.of(TransformConfig.to(outputDim))),
                DescriptorConfig.standard(Fidelity.EXACT));
    }

    /** Plain average pooling of the backbone's own channels, l2-normalised and centred: the baseline. */
    public static BranchConfig average(String tap, int size) {
        return new BranchConfig(
                tap, size, 0, false, new AggregatorConfig.Average(), new DescriptorConfig(0, -1, 0.1, Fidelity.EXACT));
    }

    /** The same for a backbone: {@code last} becomes the name of its layer. */
    BranchConfig on(Backbone backbone) {
        String name = tap.equals(LAST)
                ? backbone.lastConvolution().name()
                : backbone.tap(tap).name();
        return new BranchConfig(name, size, convolution, rectify, aggregator, descriptor);
    }

    /** The channels that are aggregated, given those of the backbone's features. */
    public int channels(int inputChannels) {
        return convolution > 0 ? convolution : inputChannels;
    }

    /** Dimensions of its descriptor. */
    public int length(int inputChannels) {
        return aggregator.length(channels(inputChannels));
    }

    /** Such as {@code res5c@224}. */
    public String key() {
        return tap + "@" + size;
    }
}
