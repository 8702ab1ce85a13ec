package io.github.gramian.model;

import io.github.gramian.backbone.Backbone;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Everything behind the backbone but the number of classes, which the data tell.
 *
 * @param branches whose descriptors are joined; at least one
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

    /**
     * Branches that look at images of one size, and so share one run of the backbone.
     *
     * @param size pixels a side
     * @param taps without repeats, in the order of the branches
     * @param branches their places in the network
     */
    public record Scale(int size, List<String> taps, List<Integer> branches) {

        public Scale {
            taps = List.copyOf(taps);
            branches = List.copyOf(branches);
        }
    }

    /** The sizes at which the backbone must run, from small to large. */
    public List<Scale> scales() {
        TreeMap<Integer, List<Integer>> bySize = new TreeMap<>();
        IntStream.range(0, branches.size())
                .forEach(i -> bySize.merge(
                        branches.get(i).size(),
                        List.of(i),
                        (a, b) -> java.util.stream.Stream.concat(a.stream(), b.stream())
                                .toList()));
        return bySize.entrySet().stream()
                .map(entry -> new Scale(
                        entry.getKey(),
                        entry.getValue().stream()
                                .map(i -> branches.get(i).tap())
                                .distinct()
                                .toList(),
                        entry.getValue()))
                .toList();
    }

    /** The largest side of an image that the backbone sees. */
    public int largestSize() {
        return branches.stream().mapToInt(BranchConfig::size).max().orElseThrow();
    }

    /** What its branches look at, each once, such as {@code res4f@224+res5c@448}. */
    public String key() {
        return branches.stream().map(BranchConfig::key).distinct().collect(Collectors.joining("+"));
    }

    /** Numbers in the joined descriptor, given the channels of each branch's features. */
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
