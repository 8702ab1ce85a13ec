package io.github.gramian.search.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.dataset.internal.Strata;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Repeated stratified folds: each repetition deals the images of every class to the folds in another order. The images of
 * one group are in one fold. An image's place depends on the seed, its id and its class only.
 *
 * @param count of folds
 * @param assignments the fold of each image, once per repetition
 * @param together whether each group is in one fold
 */
public record StratifiedFolds(int count, List<int[]> assignments, boolean together) {

    /** This number of folds where classes are large enough. */
    static final int FOLDS = 5;

    static final int REPETITIONS = 3;

    /** Divides these images; groups are divided if a class has a single one. */
    public static StratifiedFolds of(List<Sample> images, Map<String, String> groups, Seed seed) {
        return of(images, groups, false, seed);
    }

    /**
     * Divides these images; a class of fewer groups than {@link #FOLDS} lowers the number of folds, to no less than two.
     *
     * @param undivided whether groups stay together even if a class has a single one, of which no fold then knows the class
     */
    public static StratifiedFolds of(List<Sample> images, Map<String, String> groups, boolean undivided, Seed seed) {
        int pieces = fewest(images, groups);
        if (undivided || crossClasses(images, groups)) {
            return undivided(images, groups, Math.min(FOLDS, Math.max(2, pieces)), seed);
        }
        boolean together = pieces >= 2;
        Map<String, String> pieceOf = new HashMap<>();
        images.forEach(
                image -> pieceOf.put(image.id(), together ? groups.getOrDefault(image.id(), image.id()) : image.id()));
        int least = together ? pieces : fewest(images, pieceOf);
        if (least < 2) {
            throw new DatasetException(
                    "a class has a single image left to search with; give every class at least 4 images besides those"
                            + " to test on");
        }
        int folds = Math.min(FOLDS, least);
        List<int[]> assignments = new ArrayList<>();
        for (int repetition = 0; repetition < REPETITIONS; repetition++) {
            assignments.add(divide(images, pieceOf, folds, seed.child("folds").child(repetition)));
        }
        return new StratifiedFolds(folds, assignments, together);
    }

    private static StratifiedFolds undivided(List<Sample> images, Map<String, String> groups, int folds, Seed seed) {
        Groups named = new Groups(groups, "");
        List<int[]> assignments = new ArrayList<>();
        for (int repetition = 0; repetition < REPETITIONS; repetition++) {
            Map<String, Integer> foldOf =
                    Strata.groupFolds(images, named, folds, seed.child("folds").child(repetition));
            assignments.add(images.stream()
                    .mapToInt(image -> foldOf.getOrDefault(image.id(), 0))
                    .toArray());
        }
        return new StratifiedFolds(folds, assignments, true);
    }

    private static boolean crossClasses(List<Sample> images, Map<String, String> groups) {
        Map<String, Integer> labels = new HashMap<>();
        for (Sample image : images) {
            Integer other = labels.putIfAbsent(groups.getOrDefault(image.id(), image.id()), image.label());
            if (other != null && other != image.label()) {
                return true;
            }
        }
        return false;
    }

    /** The number of groups of the class that has fewest. */
    private static int fewest(List<Sample> images, Map<String, String> groups) {
        Map<Integer, Set<String>> byClass = new HashMap<>();
        images.forEach(image -> byClass.computeIfAbsent(image.label(), label -> new HashSet<>())
                .add(groups.getOrDefault(image.id(), image.id())));
        return byClass.values().stream().mapToInt(Set::size).min().orElse(0);
    }

    /** Deals the groups of each class in random order, going on where the class before ended: folds are of equal size. */
    private static int[] divide(List<Sample> images, Map<String, String> groups, int folds, Seed seed) {
        Map<Integer, Map<String, Long>> byClass = new TreeMap<>();
        for (Sample image : images) {
            String group = String.valueOf(groups.get(image.id()));
            byClass.computeIfAbsent(image.label(), label -> new TreeMap<>())
                    .put(group, seed.child(image.label()).child(group).value());
        }
        Map<String, Integer> foldOf = new HashMap<>();
        int next = 0;
        for (Map<String, Long> ranks : byClass.values()) {
            List<String> shuffled = ranks.keySet().stream()
                    .sorted(Comparator.comparing((String group) -> ranks.get(group))
                            .thenComparing(group -> group))
                    .toList();
            for (String group : shuffled) {
                foldOf.put(group, next++ % folds);
            }
        }
        return images.stream()
                .mapToInt(image -> foldOf.getOrDefault(String.valueOf(groups.get(image.id())), 0))
                .toArray();
    }
}
