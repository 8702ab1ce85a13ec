package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The images of one group, which stay together when images are divided.
 *
 * @param name of the group
 * @param samples its images
 * @param label the class that most of its images have; of several the first
 * @param rank its place in a random order that depends on the seed and the name only
 */
record GroupUnit(String name, List<Sample> samples, int label, long rank) {

    /** The groups of some images, in random order. */
    static List<GroupUnit> of(Collection<Sample> samples, Groups groups, Seed seed) {
        return groups.units(samples).entrySet().stream()
                .map(entry -> new GroupUnit(
                        entry.getKey(),
                        entry.getValue(),
                        mostFrequent(entry.getValue()),
                        seed.child(entry.getKey()).value()))
                .sorted(Comparator.comparingLong(GroupUnit::rank).thenComparing(GroupUnit::name))
                .toList();
    }

    private static int mostFrequent(List<Sample> samples) {
        Map<Integer, Integer> counts = new TreeMap<>();
        samples.forEach(sample -> counts.merge(sample.label(), 1, Integer::sum));
        int most = counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() == most)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    int size() {
        return samples.size();
    }
}
