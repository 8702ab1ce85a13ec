package io.github.gramian.model.config;

import io.github.gramian.layer.Fidelity;
import java.util.List;

/**
 * Everything that shapes a head, from feature maps to class scores. Start from {@link #standard} and change what differs.
 *
 * @param inputChannels channels of the backbone's features
 * @param convolution channels after the 1×1 convolution and its ReLU; 0 for no convolution
 * @param aggregation from feature maps to a matrix
 * @param transforms SPD transformations, one after another; may be empty
 * @param descriptor from the matrix to a vector
 * @param classes outputs of the classifier
 */
public record HeadConfig(
        int inputChannels,
        int convolution,
        AggregationConfig aggregation,
        List<TransformConfig> transforms,
        DescriptorConfig descriptor,
        int classes) {

    public HeadConfig {
        if (inputChannels < 1 || convolution < 0 || classes < 1) {
            throw new IllegalArgumentException(
                    "a head needs inputChannels >= 1, convolution >= 0 and classes >= 1, but got " + inputChannels
                            + ", " + convolution + ", " + classes);
        }
        transforms = List.copyOf(transforms);
        new AggregatorConfig.SpdMatrix(aggregation, transforms).length(convolution > 0 ? convolution : inputChannels);
    }

    /** The paper's layers with one transformation, and exact gradients or the paper's as printed. */
    public static HeadConfig standard(
            int inputChannels, int convolution, int outputDim, int classes, Fidelity fidelity) {
        return new HeadConfig(
                inputChannels,
                convolution,
                AggregationConfig.standard(fidelity),
                List.of(TransformConfig.to(outputDim)),
                DescriptorConfig.standard(fidelity),
                classes);
    }

    /** Channels that the kernel compares: the size of K. */
    public int channels() {
        return convolution > 0 ? convolution : inputChannels;
    }

    /** The size of the matrix that is vectorised. */
    public int matrixSize() {
        return matrix().matrixSize(channels());
    }

    /** Dimensions of the descriptor. */
    public int descriptorLength() {
        return matrix().length(channels());
    }

    private AggregatorConfig.SpdMatrix matrix() {
        return new AggregatorConfig.SpdMatrix(aggregation, transforms);
    }

    /** Everything before the classifier, as a branch of a network. */
    public BranchConfig branch() {
        return new BranchConfig("features", 1, convolution, true, matrix(), descriptor);
    }

    /** The same with another aggregation. */
    public HeadConfig withAggregation(AggregationConfig other) {
        return new HeadConfig(inputChannels, convolution, other, transforms, descriptor, classes);
    }

    /** The same with other transformations. */
    public HeadConfig withTransforms(TransformConfig... others) {
        return new HeadConfig(inputChannels, convolution, aggregation, List.of(others), descriptor, classes);
    }

    /** The same with another descriptor. */
    public HeadConfig withDescriptor(DescriptorConfig other) {
        return new HeadConfig(inputChannels, convolution, aggregation, transforms, other, classes);
    }
}
