package io.github.gramian.search.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The images that a search may see, which are all training and validation images, and nested subsets of them: the rungs. No
 * test image is among them.
 *
 * @param classes names of the classes
 * @param groups image → what must lie on one side of a fold: its group, or the image itself
 * @param undivided whether groups stay together even if a class has a single one among few images
 * @param rungs subsets, each within the next, sorted by path; the last one has all images, or as many as a search takes
 * @param first the rung on which candidates start when time does not matter
 */
public record SearchImages(
        List<String> classes, Map<String, String> groups, boolean undivided, List<List<Sample>> rungs, int first) {

    /** More images would resolve differences between candidates by less than half a point, and the cost of fits grows with their cube. */
    static final int MAX = 4000;

    /** The next rung has this multiple of the images. */
    static final int FACTOR = 4;

    private static final int MIN_IN_FIRST_RUNG = 300;
    private static final int A_CLASS_IN_FIRST_RUNG = 8;
    private static final int MIN_PER_CLASS = 4;

    private record Ranked(Sample sample, long rank) {}

    /**
     * Of a dataset.
     *
     * @param max at most this number of images
     */
    public static SearchImages of(Dataset dataset, Seed seed, int max) {
        return of(
                dataset.classes(),
                Stream.of(Split.TRAIN, Split.VALIDATION)
                        .flatMap(split -> dataset.samples(split).stream())
                        .toList(),
                DividedDataset.of(dataset).listing().groups(),
                seed,
                max);
    }

    static SearchImages of(List<String> classes, List<Sample> samples, Groups named, Seed seed) {
        return of(classes, samples, named, seed, MAX);
    }

    private static SearchImages of(List<String> classes, List<Sample> samples, Groups named, Seed seed, int max) {
        if (named.given() && !named.severalPerClass(samples)) {
            throw new DatasetException("a class has a single group to search with, by " + named.source()
                    + ", so no fold can test it; add images of other groups to it, or train without a search");
        }
        Map<String, String> groups = new TreeMap<>();
        for (Sample sample : samples) {
            groups.put(sample.id(), named.names().getOrDefault(sample.id(), sample.id()));
        }
        List<List<Sample>> byClass = ranked(classes, samples, seed);
        List<Integer> sizes = sizes(samples.size(), classes.size(), max);
        List<List<Sample>> rungs = sizes.stream()
                .map(size -> subset(byClass, size, samples.size()))
                .toList();
        int least = Math.max(MIN_IN_FIRST_RUNG, A_CLASS_IN_FIRST_RUNG * classes.size());
        int first = 0;
        while (first + 1 < sizes.size() && sizes.get(first) < least) {
            first++;
        }
        return new SearchImages(classes, groups, named.given(), rungs, first);
    }

    /** The images of each class in an order that depends on the seed and their ids only. */
    private static List<List<Sample>> ranked(List<String> classes, List<Sample> samples, Seed seed) {
        List<List<Sample>> byClass = new ArrayList<>();
        for (int label = 0; label < classes.size(); label++) {
            int wanted = label;
            List<Sample> images = samples.stream()
                    .filter(sample -> sample.label() == wanted)
                    .map(sample -> new Ranked(
                            sample, seed.child("rung").child(sample.id()).value()))
                    .sorted(Comparator.comparingLong(Ranked::rank)
                            .thenComparing(ranked -> ranked.sample().id()))
                    .map(Ranked::sample)
                    .toList();
            if (images.size() < 2) {
                throw new DatasetException("class '" + classes.get(label) + "' has " + images.size()
                        + " image to search with; give every class at least 4 images besides those to test on");
            }
            byClass.add(images);
        }
        return byClass;
    }

    /** From small to large; a rung has at least four images a class where there are as many. */
    private static List<Integer> sizes(int images, int classes, int max) {
        List<Integer> sizes = new ArrayList<>();
        for (int size = Math.min(images, max); sizes.isEmpty() || size >= MIN_PER_CLASS * classes; size /= FACTOR) {
            sizes.add(0, size);
        }
        return List.copyOf(sizes);
    }

    private static List<Sample> subset(List<List<Sample>> byClass, int size, int all) {
        return byClass.stream()
                .flatMap(images -> {
                    long share = Math.round((double) images.size() * size / all);
                    return images.stream().limit(Math.max(Math.min(MIN_PER_CLASS, images.size()), share));
                })
                .sorted(Comparator.comparing(Sample::path))
                .toList();
    }

    /** The largest rung. */
    public int last() {
        return rungs.size() - 1;
    }

    /** Whether images of one physical sample lie in one fold. */
    public boolean grouped() {
        Set<String> pieces = new HashSet<>(groups.values());
        return pieces.size() < groups.size();
    }

    /** The number of the group of each of these images, from 0. */
    int[] numbers(List<Sample> some) {
        return new Groups(groups, "").numbers(some);
    }
}
