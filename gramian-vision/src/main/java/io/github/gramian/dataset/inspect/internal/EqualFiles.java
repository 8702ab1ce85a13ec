package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Finds files with the same bytes by their hashes. */
final class EqualFiles {

    private EqualFiles() {}

    /**
     * Groups of equal files, by the path of their first file.
     *
     * @param sums SHA-256 of each sample's file, in the order of the samples; empty for a file to leave out
     */
    static List<Inspection.ExactGroup> groups(Dataset dataset, List<Optional<String>> sums) {
        Map<String, List<Sample>> bySum = new HashMap<>();
        for (int i = 0; i < sums.size(); i++) {
            Sample sample = dataset.samples().get(i);
            sums.get(i)
                    .ifPresent(sum ->
                            bySum.computeIfAbsent(sum, key -> new ArrayList<>()).add(sample));
        }
        Map<String, Split> splitOfId = splits(dataset);
        Map<String, Inspection.ExactGroup> byFirstPath = new TreeMap<>();
        for (List<Sample> equal : bySum.values()) {
            if (equal.size() > 1) {
                byFirstPath.put(equal.get(0).path(), group(equal, splitOfId));
            }
        }
        return List.copyOf(byFirstPath.values());
    }

    /** The split of each sample that has one, by its id. */
    static Map<String, Split> splits(Dataset dataset) {
        Map<String, Split> splitOfId = new HashMap<>();
        for (Split split : Split.values()) {
            dataset.samples(split).forEach(sample -> splitOfId.put(sample.id(), split));
        }
        return splitOfId;
    }

    private static Inspection.ExactGroup group(List<Sample> equal, Map<String, Split> splitOfId) {
        boolean tested = equal.stream().anyMatch(sample -> splitOfId.get(sample.id()) == Split.TEST);
        boolean seen = equal.stream()
                .map(sample -> splitOfId.get(sample.id()))
                .anyMatch(split -> split == Split.TRAIN || split == Split.VALIDATION);
        boolean contradicts = equal.stream().map(Sample::label).distinct().count() > 1;
        return new Inspection.ExactGroup(equal.stream().map(Sample::path).toList(), tested && seen, contradicts);
    }
}
