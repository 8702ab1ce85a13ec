package io.github.gramian.cli.label;

import static java.util.Map.entry;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.inspect.internal.Inspection;
import io.github.gramian.json.internal.Json;
import io.github.gramian.label.internal.LabelCheck;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything that a check has found, under the names that its outputs use. */
record DataCheck(Inspection inspection, LabelCheck labels) {

    /** Photographs that show the same. */
    record Duplicate(String kind, List<String> files, boolean classesDiffer, double correlation) {}

    /** What training and test images share, so that the test accuracy is too high. */
    record Leak(String kind, List<String> files) {}

    /** The number of images of a class. */
    record ClassSize(String name, int images) {}

    private static final String EQUAL = "equal files";
    private static final String SIMILAR = "similar images";
    private static final String GROUP = "same group";

    Dataset dataset() {
        return inspection.dataset();
    }

    /** Equal files first, then similar images, the most similar first. */
    List<Duplicate> duplicates() {
        Map<String, Integer> labels = new HashMap<>();
        dataset().samples().forEach(sample -> labels.put(sample.path(), sample.label()));
        List<Duplicate> duplicates = new ArrayList<>();
        inspection
                .exact()
                .forEach(group -> duplicates.add(new Duplicate(EQUAL, group.paths(), group.contradicts(), 1)));
        inspection.copies().stream()
                .sorted(Comparator.comparingDouble(Inspection.Copies::correlation)
                        .reversed())
                .forEach(pair -> duplicates.add(new Duplicate(
                        SIMILAR,
                        List.of(pair.first(), pair.second()),
                        !labels.getOrDefault(pair.first(), -1).equals(labels.getOrDefault(pair.second(), -1)),
                        pair.correlation())));
        return duplicates;
    }

    /** Equal files, similar images and groups on both sides of the split. */
    List<Leak> leaks() {
        List<Leak> leaks = new ArrayList<>();
        inspection.exact().stream()
                .filter(Inspection.ExactGroup::leaks)
                .forEach(group -> leaks.add(new Leak(EQUAL, group.paths())));
        inspection.near().forEach(pair -> leaks.add(new Leak(SIMILAR, List.of(pair.seen(), pair.test()))));
        leaks.addAll(dividedGroups());
        return leaks;
    }

    /** Groups of which some images train and others test, each with one image of both sides. */
    private List<Leak> dividedGroups() {
        return inspection.dividedGroups().stream()
                .map(group -> new Leak(
                        GROUP, List.of(group.seen().path(), group.test().path())))
                .toList();
    }

    /** All classes, the largest first. */
    List<ClassSize> sizes() {
        int[] images = new int[dataset().classes().size()];
        dataset().samples().forEach(sample -> images[sample.label()]++);
        List<ClassSize> sizes = new ArrayList<>();
        for (int label = 0; label < images.length; label++) {
            sizes.add(new ClassSize(dataset().classes().get(label), images[label]));
        }
        sizes.sort(Comparator.comparingInt(ClassSize::images).reversed().thenComparing(ClassSize::name));
        return sizes;
    }

    /** What to do about it. */
    static final String BALANCE_ADVICE =
            "add images of the small classes; otherwise train with --set classes.weights=balanced, so that every class"
                    + " counts the same";

    /** From this ratio on, a model prefers the large classes noticeably. */
    static final double IMBALANCE = 2;

    /** Images of the largest class per image of the smallest. */
    double imbalance() {
        List<ClassSize> sizes = sizes();
        return (double) sizes.get(0).images() / sizes.get(sizes.size() - 1).images();
    }

    /** Every finding under a stable name. */
    Map<String, @Nullable Object> toMap() {
        List<ClassSize> sizes = sizes();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("images", dataset().samples().size());
        fields.put("classes", dataset().classes().size());
        fields.put("leaveOneOutAccuracy", labels.accuracy());
        fields.put("suspects", labels.suspects());
        fields.put("duplicates", duplicates());
        fields.put("outliers", labels.outliers());
        fields.put("quality", inspection.quality());
        fields.put("broken", inspection.broken());
        fields.put(
                "imbalance",
                Json.members(
                        entry("ratio", imbalance()),
                        entry("largest", sizes.get(0)),
                        entry("smallest", sizes.get(sizes.size() - 1))));
        fields.put("leaks", leaks());
        return fields;
    }
}
