package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * The images of one class in a random order that depends only on the seed and on each image's id: not on the file
 * system, the platform, the Java version, or on which other images there are.
 */
record StratifiedSplit(List<Sample> shuffled) {

    /** Some samples, and the others. */
    record Draw(List<Sample> chosen, List<Sample> rest) {}

    private record Ranked(Sample sample, long rank) {}

    /** One stratum a class, in the order of the labels. */
    static List<StratifiedSplit> of(Collection<Sample> samples, Seed seed) {
        Map<Integer, List<Ranked>> byLabel = new TreeMap<>();
        for (Sample sample : samples) {
            long rank = seed.child(sample.id()).value();
            byLabel.computeIfAbsent(sample.label(), label -> new ArrayList<>()).add(new Ranked(sample, rank));
        }
        // The id decides between equal ranks.
        Comparator<Ranked> order = Comparator.comparingLong(Ranked::rank)
                .thenComparing(ranked -> ranked.sample().id());
        return byLabel.values().stream()
                .map(ranked -> new StratifiedSplit(
                        ranked.stream().sorted(order).map(Ranked::sample).toList()))
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
        for (StratifiedSplit stratum : of(samples, seed)) {
            int size = stratum.shuffled.size();
            int border = howMany.applyAsInt(size);
            chosen.addAll(stratum.shuffled.subList(0, border));
            rest.addAll(stratum.shuffled.subList(border, size));
        }
        return new Draw(chosen, rest);
    }

    private static Draw drawGroups(Collection<Sample> samples, Groups groups, Seed seed, IntUnaryOperator howMany) {
        Map<Integer, List<GroupUnit>> byLabel = new TreeMap<>();
        GroupUnit.of(samples, groups, seed)
                .forEach(unit -> byLabel.computeIfAbsent(unit.label(), label -> new ArrayList<>())
                        .add(unit));
        List<Sample> chosen = new ArrayList<>();
        List<Sample> rest = new ArrayList<>();
        for (List<GroupUnit> units : byLabel.values()) {
            int size = units.stream().mapToInt(GroupUnit::size).sum();
            int wanted = howMany.applyAsInt(size);
            int taken = 0;
            for (int i = 0; i < units.size(); i++) {
                boolean first = i == 0;
                boolean onlyOther = i == units.size() - 1 && !first;
                boolean nearer = 2 * (wanted - taken) >= units.get(i).size();
                List<Sample> side = first || (nearer && !onlyOther) ? chosen : rest;
                side.addAll(units.get(i).samples());
                taken += units.get(i).size();
            }
        }
        return new Draw(chosen, rest);
    }
}
