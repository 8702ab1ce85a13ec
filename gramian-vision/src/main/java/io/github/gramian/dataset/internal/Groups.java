package io.github.gramian.dataset.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset.Partition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which images belong together, such as photographs of one object. A classifier that has seen one of them has seen something
 * of the others, so training, validation and test images, folds and leave-one-out keep each group on one side.
 *
 * @param names sample id → name of its group; a sample without a group stands alone
 * @param source what names the groups, for reports; empty if the layout of the dataset does
 */
public record Groups(Map<String, String> names, String source) {

    /** The source of groups that a manifest names. */
    public static final String COLUMN = "the column 'group'";

    public Groups {
        names = Map.copyOf(names);
    }

    /** Every image stands alone. */
    public static Groups none() {
        return new Groups(Map.of(), "");
    }

    /** The physical samples that a published dataset shows. */
    public static Groups ofLayout(Map<String, String> names) {
        return new Groups(names, "");
    }

    /**
     * Groups whose names are part of the paths.
     *
     * @throws DatasetException if no path has such a part, or if all images are in one group
     */
    public static Groups ofPaths(Collection<Sample> samples, String pattern) {
        NamePattern names = NamePattern.of(pattern);
        Map<String, String> found = new HashMap<>();
        for (Sample sample : samples) {
            names.find(sample.path()).ifPresent(name -> found.put(sample.id(), name));
        }
        if (found.isEmpty()) {
            throw new DatasetException("the pattern of the groups, " + pattern + ", fits no path, such as "
                    + samples.iterator().next().path() + "; paths are relative to the dataset's directory");
        }
        return given(found, "the pattern " + pattern, samples.size());
    }

    /** Groups that the user names, of a number of images in all. */
    public static Groups given(Map<String, String> names, String source, int images) {
        Set<String> different = new HashSet<>(names.values());
        if (different.size() == 1 && names.size() == images) {
            throw new DatasetException("all images are in one group, '"
                    + different.iterator().next() + "', by " + source
                    + "; name a group per object, so that some train and others test");
        }
        return new Groups(names, source);
    }

    public boolean isEmpty() {
        return names.isEmpty();
    }

    /** Whether the user named the groups, who then wants them undivided without exception. */
    public boolean given() {
        return !source.isEmpty();
    }

    /** The name of an image's group; of an image that stands alone a name that no group has. */
    String of(Sample sample) {
        String name = names.get(sample.id());
        return name == null ? "\0" + sample.id() : name;
    }

    /** The number of the group of each image, from 0 in the order of first appearance. */
    public int[] numbers(List<Sample> samples) {
        Map<String, Integer> numbers = new HashMap<>();
        int[] found = new int[samples.size()];
        for (int i = 0; i < found.length; i++) {
            String name = of(samples.get(i));
            Integer known = numbers.putIfAbsent(name, numbers.size());
            found[i] = known == null ? numbers.size() - 1 : known;
        }
        return found;
    }

    /** The images of each group, in the order of first appearance. */
    Map<String, List<Sample>> units(Collection<Sample> samples) {
        Map<String, List<Sample>> units = new LinkedHashMap<>();
        samples.forEach(sample ->
                units.computeIfAbsent(of(sample), name -> new ArrayList<>()).add(sample));
        return units;
    }

    /** Number of groups among some images; images that stand alone are not counted. */
    public int count(Collection<Sample> samples) {
        return (int) samples.stream()
                .map(sample -> names.get(sample.id()))
                .filter(name -> name != null)
                .distinct()
                .count();
    }

    /** Whether each class has at least two groups, or images that stand alone, among these images. */
    public boolean severalPerClass(Collection<Sample> samples) {
        Map<Integer, Set<String>> byClass = new HashMap<>();
        samples.forEach(sample -> byClass.computeIfAbsent(sample.label(), label -> new HashSet<>())
                .add(of(sample)));
        return byClass.values().stream().allMatch(groups -> groups.size() > 1);
    }

    /** A group that is divided, with an image of both sides. */
    public record Divided(String group, Sample seen, Sample test) {}

    /** Groups of which some images train or validate and others test, as released splits can have them. */
    public List<Divided> divided(Partition partition) {
        Map<String, Sample> seen = new HashMap<>();
        for (Split split : List.of(Split.TRAIN, Split.VALIDATION)) {
            partition.samples(split).stream()
                    .filter(sample -> names.containsKey(sample.id()))
                    .forEach(sample -> seen.putIfAbsent(of(sample), sample));
        }
        Map<String, Divided> divided = new LinkedHashMap<>();
        for (Sample sample : partition.test()) {
            Sample other = seen.get(of(sample));
            if (other != null) {
                divided.putIfAbsent(of(sample), new Divided(of(sample), other, sample));
            }
        }
        return List.copyOf(divided.values());
    }

    /** For evaluation protocols: how many groups the user named, by what, and how many of them the split divides. */
    String describe(Collection<Sample> samples, Partition partition) {
        if (!given()) {
            return "";
        }
        int cut = divided(partition).size();
        return ", " + count(samples) + " groups by " + source + (cut == 0 ? "" : ", " + cut + " of them divided");
    }
}
