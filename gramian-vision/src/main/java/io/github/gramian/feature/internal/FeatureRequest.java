package io.github.gramian.feature.internal;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The requested features of an image.
 *
 * @param inputs one for each branch of a network, in their order
 */
public record FeatureRequest(List<Input> inputs) {

    public FeatureRequest {
        inputs = List.copyOf(inputs);
    }

    /**
     * What one branch takes.
     *
     * @param tap layer of the backbone
     * @param size side of the image that the backbone gets, in pixels
     */
    public record Input(String tap, int size) {}

    /**
     * Branches with the same image size, which share one run of the backbone.
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

    /** The layer of the backbone that a branch takes. */
    public String tap(int branch) {
        return inputs.get(branch).tap();
    }

    /** The sizes at which the backbone must run, from small to large. */
    public List<Scale> scales() {
        TreeMap<Integer, List<Integer>> bySize = new TreeMap<>();
        IntStream.range(0, inputs.size())
                .forEach(i -> bySize.merge(
                        inputs.get(i).size(),
                        List.of(i),
                        (a, b) -> Stream.concat(a.stream(), b.stream()).toList()));
        return bySize.entrySet().stream()
                .map(entry -> new Scale(
                        entry.getKey(),
                        entry.getValue().stream().map(this::tap).distinct().toList(),
                        entry.getValue()))
                .toList();
    }
}
