package io.github.gramian.model.config;

import io.github.gramian.backbone.Backbone;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The network after a backbone: branches from feature maps to descriptors, and the scale of the classifier's scores. The
 * number of classes is not among its settings, since the dataset determines it.
 *
 * @param branches branches, whose descriptors are concatenated; at least one
 * @param logitScale s: probabilities are softmax(s·scores). Descriptors have unit length, so plain scores are small
 */
public record NetworkConfig(List<BranchConfig> branches, double logitScale) {

    public NetworkConfig {
        branches = List.copyOf(branches);
        if (branches.isEmpty()) {
            throw new IllegalArgumentException("a network needs at least one branch");
        }
        if (!(logitScale > 0 && logitScale < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("logitScale must be positive but is " + logitScale);
        }
    }

    /** The same for a backbone: taps by its own names. */
    public NetworkConfig on(Backbone backbone) {
        return new NetworkConfig(
                branches.stream().map(branch -> branch.on(backbone)).toList(), logitScale);
    }

    /** The largest side of an image that the backbone sees. */
    public int largestSize() {
        return branches.stream().mapToInt(BranchConfig::size).max().orElseThrow();
    }

    /** Taps and sizes of its branches, each once, such as {@code res4f@224+res5c@448}. */
    public String key() {
        return branches.stream().map(BranchConfig::key).distinct().collect(Collectors.joining("+"));
    }

    /** Dimensions of the concatenated descriptor, given the channels of each branch's features. */
    public int descriptorLength(List<Integer> inputChannels) {
        if (inputChannels.size() != branches.size()) {
            throw new IllegalArgumentException(
                    branches.size() + " branches need as many numbers of input channels, not " + inputChannels.size());
        }
        return IntStream.range(0, branches.size())
                .map(i -> branches.get(i).length(inputChannels.get(i)))
                .reduce(0, Math::addExact);
    }
}
