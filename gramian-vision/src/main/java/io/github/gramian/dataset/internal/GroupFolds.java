package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.tensor.Seed;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Deals groups to folds, so that folds have about as many images of each class as each other, and none divides a group. */
public final class GroupFolds {

    private GroupFolds() {}

    /**
     * The fold of each image, from 0, by its id. The groups are dealt in random order, each to the fold with the fewest images
     * of its classes; of such folds to the smallest one.
     */
    public static Map<String, Integer> of(Collection<Sample> samples, Groups groups, int folds, Seed seed) {
        List<GroupUnit> units = GroupUnit.of(samples, groups, seed);
        if (units.size() < folds) {
            throw new DatasetException(units.size() + " groups cannot be divided into " + folds
                    + " folds; use a protocol with fewer folds, or name smaller groups");
        }
        int[] sizes = new int[folds];
        Map<Integer, int[]> ofClass = new HashMap<>();
        Map<String, Integer> foldOf = new HashMap<>();
        for (GroupUnit unit : units) {
            int best = 0;
            for (int fold = 1; fold < folds; fold++) {
                int more = ofItsClasses(unit, fold, ofClass) - ofItsClasses(unit, best, ofClass);
                best = more < 0 || (more == 0 && sizes[fold] < sizes[best]) ? fold : best;
            }
            sizes[best] += unit.size();
            for (Sample sample : unit.samples()) {
                ofClass.computeIfAbsent(sample.label(), label -> new int[folds])[best]++;
                foldOf.put(sample.id(), best);
            }
        }
        return foldOf;
    }

    private static int ofItsClasses(GroupUnit unit, int fold, Map<Integer, int[]> ofClass) {
        return unit.samples().stream()
                .mapToInt(Sample::label)
                .distinct()
                .map(label -> {
                    int[] counts = ofClass.get(label);
                    return counts == null ? 0 : counts[fold];
                })
                .sum();
    }
}
