package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * Draws images and deals them to folds, class by class and without dividing a group. The random order depends only on the seed and
 * on the id of each image or the name of each group: not on the file system, the platform, the Java version, or on which other
 * images there are.
 */
public final class Strata {

    private Strata() {}

    /** Some samples, and the others. */
    record Draw(List<Sample> chosen, List<Sample> rest) {}

    private record Ranked(Sample sample, long rank) {}

    /** The images of each class in random order; the classes in the order of the labels. */
    static List<List<Sample>> shuffledClasses(Collection<Sample> samples, Seed seed) {
        Map<Integer, List<Ranked>> byLabel = new TreeMap<>();
        for (Sample sample : samples) {
            long rank = seed.child(sample.id()).value();
            byLabel.computeIfAbsent(sample.label(), label -> new ArrayList<>()).add(new Ranked(sample, rank));
        }
        // The id decides between equal ranks.
        Comparator<Ranked> order = Comparator.comparingLong(Ranked::rank)
                .thenComparing(ranked -> ranked.sample().id());
        return byLabel.values().stream()
                .map(ranked -> ranked.stream().sorted(order).map(Ranked::sample).toList())
                .toList();
    }

    /**
     * A fraction of every class, rounded, but never all and never none of a class that has two images or more. With groups,
     * the number of images is the nearest that does not divide one.
     */
    static Draw share(Collection<Sample> samples, Groups groups, double share, Seed seed) {
        return draw(samples, groups, seed, size -> {
            int wanted = (int) Math.round(size * share);
            return size < 2 ? size : Math.max(1, Math.min(size - 1, wanted));
        });
    }

    /** Draws from each class the number that a rule gives for a class of that size, or the nearest that divides no group. */
    static Draw draw(Collection<Sample> samples, Groups groups, Seed seed, IntUnaryOperator howMany) {
        if (!groups.isEmpty()) {
            return drawGroups(samples, groups, seed, howMany);
        }
        List<Sample> chosen = new ArrayList<>();
        List<Sample> rest = new ArrayList<>();
        for (List<Sample> shuffled : shuffledClasses(samples, seed)) {
            int border = howMany.applyAsInt(shuffled.size());
            chosen.addAll(shuffled.subList(0, border));
            rest.addAll(shuffled.subList(border, shuffled.size()));
        }
        return new Draw(chosen, rest);
    }

    private static Draw drawGroups(Collection<Sample> samples, Groups groups, Seed seed, IntUnaryOperator howMany) {
        Map<Integer, List<Group>> byLabel = new TreeMap<>();
        shuffledGroups(samples, groups, seed)
                .forEach(group -> byLabel.computeIfAbsent(group.label(), label -> new ArrayList<>())
                        .add(group));
        List<Sample> chosen = new ArrayList<>();
        List<Sample> rest = new ArrayList<>();
        for (List<Group> ofClass : byLabel.values()) {
            int size = ofClass.stream().mapToInt(Group::size).sum();
            int wanted = howMany.applyAsInt(size);
            int taken = 0;
            for (int i = 0; i < ofClass.size(); i++) {
                boolean first = i == 0;
                boolean onlyOther = i == ofClass.size() - 1 && !first;
                boolean nearer = 2 * (wanted - taken) >= ofClass.get(i).size();
                List<Sample> side = first || (nearer && !onlyOther) ? chosen : rest;
                side.addAll(ofClass.get(i).samples());
                taken += ofClass.get(i).size();
            }
        }
        return new Draw(chosen, rest);
    }

    /**
     * The fold of each image, from 0, by its id. Folds have about as many images of each class as each other, and none divides a
     * group: the groups are dealt in random order, each to the fold with the fewest images of its classes; of such folds to the
     * smallest one.
     */
    public static Map<String, Integer> groupFolds(Collection<Sample> samples, Groups groups, int folds, Seed seed) {
        List<Group> shuffled = shuffledGroups(samples, groups, seed);
        if (shuffled.size() < folds) {
            throw new DatasetException(shuffled.size() + " groups cannot be divided into " + folds
                    + " folds; use a protocol with fewer folds, or name smaller groups");
        }
        int[] sizes = new int[folds];
        Map<Integer, int[]> ofClass = new HashMap<>();
        Map<String, Integer> foldOf = new HashMap<>();
        for (Group group : shuffled) {
            int best = 0;
            for (int fold = 1; fold < folds; fold++) {
                int more = ofItsClasses(group, fold, ofClass) - ofItsClasses(group, best, ofClass);
                best = more < 0 || (more == 0 && sizes[fold] < sizes[best]) ? fold : best;
            }
            sizes[best] += group.size();
            for (Sample sample : group.samples()) {
                ofClass.computeIfAbsent(sample.label(), label -> new int[folds])[best]++;
                foldOf.put(sample.id(), best);
            }
        }
        return foldOf;
    }

    private static int ofItsClasses(Group group, int fold, Map<Integer, int[]> ofClass) {
        return group.samples().stream()
                .mapToInt(Sample::label)
                .distinct()
                .map(label -> {
                    int[] counts = ofClass.get(label);
                    return counts == null ? 0 : counts[fold];
                })
                .sum();
    }

    /**
     * Images that stay together.
     *
     * @param label the class that most of them have; of several the first
     * @param rank its place in the random order
     */
    private record Group(String name, List<Sample> samples, int label, long rank) {

        int size() {
            return samples.size();
        }
    }

    private static List<Group> shuffledGroups(Collection<Sample> samples, Groups groups, Seed seed) {
        return groups.units(samples).entrySet().stream()
                .map(entry -> new Group(
                        entry.getKey(),
                        entry.getValue(),
                        mostFrequentLabel(entry.getValue()),
                        seed.child(entry.getKey()).value()))
                .sorted(Comparator.comparingLong(Group::rank).thenComparing(Group::name))
                .toList();
    }

    private static int mostFrequentLabel(List<Sample> samples) {
        Map<Integer, Integer> counts = new TreeMap<>();
        samples.forEach(sample -> counts.merge(sample.label(), 1, Integer::sum));
        int most = counts.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() == most)
                .findFirst()
                .orElseThrow()
                .getKey();
    }
}
