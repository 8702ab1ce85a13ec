package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset.Listing;
import io.github.gramian.dataset.internal.DividedDataset.Partition;
import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.dataset.internal.SplitRule.PhysicalSamples;
import io.github.gramian.dataset.layout.internal.ImageTree.LinkRule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Collects images with the names of their classes, and numbers the classes in a given order. */
final class ListingBuilder {

    private final List<String> classes;
    private final Map<String, Integer> labels = new HashMap<>();
    private final Map<String, Sample> samplesByPath = new LinkedHashMap<>();
    private final Map<String, String> groups = new HashMap<>();
    private final List<String> skipped = new ArrayList<>();
    private String groupSource = "";

    ListingBuilder(Collection<String> classesInOrder) {
        classes = List.copyOf(classesInOrder);
        for (String name : classes) {
            labels.put(name, labels.size());
        }
        if (labels.size() != classes.size()) {
            throw new DatasetException("two classes have the same name");
        }
    }

    /** Adds an image; each file may be added once, under whatever id: twice, it could both train and test. */
    void add(String id, String path, String className) {
        Integer label = labels.get(className);
        if (label == null) {
            throw new DatasetException(
                    path + " is of the class '" + className + "', which is not in the list of classes");
        }
        if (samplesByPath.put(path, new Sample(id, path, label)) != null) {
            throw new DatasetException(path + " is listed twice; keep one of its entries");
        }
    }

    /**
     * Adds all images below a folder, with their paths as ids, and notes the other files; returns the paths.
     *
     * @param all the folders of all classes, into which no link is followed
     */
    List<String> addAll(Path root, Path folder, String className, List<Path> all) {
        ImageTree.Found found = ImageTree.below(root, folder, LinkRule.of(folder, all));
        skipped.addAll(found.others());
        found.images().forEach(path -> add(path, path, className));
        return found.images();
    }

    /** Records which physical sample of its class an image shows. */
    void physicalSample(String path, String sample) {
        Sample image = Objects.requireNonNull(samplesByPath.get(path));
        groups.put(image.id(), PhysicalSamples.group(image.label(), sample));
    }

    /** Records the group that the user gave an image. */
    void group(String id, String group) {
        groupSource = Groups.COLUMN;
        groups.put(id, group);
    }

    Listing build() {
        return build(List.of());
    }

    /** With official splits, each as a map from ids to splits. */
    Listing build(List<Map<String, Split>> officialSplits) {
        List<Sample> all = List.copyOf(samplesByPath.values());
        List<Partition> official = officialSplits.stream()
                .map(splitOfId -> Partition.of(all, splitOfId))
                .toList();
        Groups together =
                groupSource.isEmpty() ? Groups.ofLayout(groups) : Groups.given(groups, groupSource, all.size());
        return new Listing(classes, all, official, together, skipped);
    }
}
