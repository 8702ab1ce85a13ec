package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Groups;
import io.github.gramian.dataset.internal.SkippedFiles;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.io.internal.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/** Warnings about a dataset before training. They need only hashes and counts, so no file is opened. */
public final class TrainingWarnings {

    /** With fewer training images per class, the accuracy depends more on which images they are than on the model. */
    private static final int FEW_IMAGES = 10;

    /** A class with this multiple of the images of another one decides the accuracy almost alone. */
    private static final int IMBALANCE = 5;

    private TrainingWarnings() {}

    /**
     * The warnings.
     *
     * @param sums SHA-256 of each sample's file, in the order of the samples; empty for a file that cannot be read
     */
    public static List<String> of(Dataset dataset, List<Optional<String>> sums) {
        List<Inspection.ExactGroup> equal = EqualFiles.groups(dataset, sums);
        List<String> warnings = new ArrayList<>();
        SkippedFiles.links(dataset.root(), DividedDataset.of(dataset).listing().skipped())
                .ifPresent(warnings::add);
        Layouts.withoutClass(dataset).ifPresent(warnings::add);
        contradictions(equal).ifPresent(warnings::add);
        leaks(equal).ifPresent(warnings::add);
        warnings.addAll(ofGroups(dataset));
        counts(dataset, warnings);
        return List.copyOf(warnings);
    }

    /** Groups on both sides of a split, and groups that change nothing. */
    static List<String> ofGroups(Dataset dataset) {
        DividedDataset divided = DividedDataset.of(dataset);
        Groups groups = divided.listing().groups();
        List<String> warnings = new ArrayList<>();
        List<Groups.Divided> cut = groups.divided(divided.partition());
        if (!cut.isEmpty()) {
            warnings.add((cut.size() == 1 ? "1 group has" : cut.size() + " groups have")
                    + " images for training and for testing, such as '"
                    + cut.get(0).group() + "' with "
                    + cut.get(0).seen().path() + " and " + cut.get(0).test().path()
                    + "; the test accuracy will be too high. Divide the images by group");
        }
        if (!groups.given()) {
            return warnings;
        }
        int named = groups.names().size();
        int all = dataset.samples().size();
        if (groups.count(dataset.samples()) == named) {
            warnings.add("no two images have the same group by " + groups.source() + ", so groups change nothing");
        }
        if (named < all) {
            warnings.add((all - named) + " of " + all + " images have no group by " + groups.source()
                    + "; each of them stands alone");
        }
        return warnings;
    }

    private static Optional<String> contradictions(List<Inspection.ExactGroup> equal) {
        List<Inspection.ExactGroup> found =
                equal.stream().filter(Inspection.ExactGroup::contradicts).toList();
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(number(found.size(), "image is", "images are") + " in more than one class, such as "
                        + paths(found.get(0)) + " (equal files); no model can learn them. Delete the wrong copies");
    }

    private static Optional<String> leaks(List<Inspection.ExactGroup> equal) {
        List<Inspection.ExactGroup> found =
                equal.stream().filter(Inspection.ExactGroup::leaks).toList();
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(number(found.size(), "test image is", "test images are")
                        + " also a training or validation image, such as " + paths(found.get(0))
                        + " (equal files); the test accuracy will be too high. Delete the copies");
    }

    private static void counts(Dataset dataset, List<String> warnings) {
        int[] images = new int[dataset.classes().size()];
        for (Split split : List.of(Split.TRAIN, Split.VALIDATION)) {
            for (Sample sample : dataset.samples(split)) {
                images[sample.label()]++;
            }
        }
        int smallest = IntStream.range(0, images.length)
                .reduce((a, b) -> images[b] < images[a] ? b : a)
                .orElseThrow();
        int largest = IntStream.range(0, images.length)
                .reduce((a, b) -> images[b] > images[a] ? b : a)
                .orElseThrow();
        long few = IntStream.of(images).filter(count -> count < FEW_IMAGES).count();
        if (few > 0) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "%s fewer than %d images for training and validation; '%s' has %d. Expect an unreliable model, and"
                            + " add images",
                    number(few, "class has", "classes have"),
                    FEW_IMAGES,
                    dataset.classes().get(smallest),
                    images[smallest]));
        }
        long single = IntStream.of(images).filter(count -> count == 1).count();
        if (single > 0) {
            warnings.add(number(single, "class has", "classes have") + " a single image for training and validation, so"
                    + " --unknown recognises few unknown images; add at least a second image");
        }
        if (images[largest] >= IMBALANCE * images[smallest] && images[largest] > images[smallest]) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "the classes are unbalanced: '%s' has %s for training and validation, '%s' has %d. The"
                            + " accuracy is mostly that of the large classes, so look at the mean class accuracy as well,"
                            + " and try --set classes.weights=balanced",
                    dataset.classes().get(largest),
                    Text.count(images[largest], "image"),
                    dataset.classes().get(smallest),
                    images[smallest]));
        }
    }

    static String number(long count, String one, String several) {
        return count + " " + (count == 1 ? one : several);
    }

    private static String paths(Inspection.ExactGroup group) {
        return group.paths().get(0) + " and " + group.paths().get(1);
    }
}
