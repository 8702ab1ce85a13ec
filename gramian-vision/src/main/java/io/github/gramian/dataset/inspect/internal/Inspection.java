package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.dataset.internal.ContentHash;
import io.github.gramian.dataset.internal.ContentHash.Twins;
import io.github.gramian.dataset.internal.DividedDataset;
import io.github.gramian.dataset.internal.Groups;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was found in a dataset.
 *
 * @param dataset that was looked at
 * @param classes images of each class in each split, in the order of the classes
 * @param hash of names, bytes and labels
 * @param width of the images that decode; empty if none does
 * @param height of the images that decode; empty if none does
 * @param broken files that give no image, by path
 * @param exact groups of files with the same bytes
 * @param twins test images with the same bytes as a training or validation image
 * @param near test images that look like a training or validation image
 * @param copies all images that look like another one, of every splits
 * @param quality images that are tiny, dark, overexposed, blank or blurred, by path
 * @param warnings in words
 */
public record Inspection(
        Dataset dataset,
        List<ClassCount> classes,
        ContentHash hash,
        Optional<Range> width,
        Optional<Range> height,
        List<Broken> broken,
        List<ExactGroup> exact,
        Twins twins,
        List<NearPair> near,
        List<Copies> copies,
        List<Quality> quality,
        List<String> warnings) {

    /** Images of a class, by {@link Split#key()}. */
    public record ClassCount(String name, Map<String, Integer> counts) {}

    /** The minimum, the median and the maximum of some values. */
    public record Range(int min, int median, int max) {

        static Optional<Range> of(int[] values) {
            if (values.length == 0) {
                return Optional.empty();
            }
            int[] sorted = values.clone();
            Arrays.sort(sorted);
            return Optional.of(new Range(sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1]));
        }
    }

    /**
     * A file that gives no image.
     *
     * @param split its split's key, or {@code none}
     * @param reason a stable name, for programs
     * @param detail a sentence, for people
     */
    public record Broken(String path, String split, String reason, String detail) {}

    /**
     * Files with the same bytes.
     *
     * @param paths sorted
     * @param leaks whether some of them test while others train or validate
     * @param contradicts whether they have different labels
     */
    public record ExactGroup(List<String> paths, boolean leaks, boolean contradicts) {}

    /**
     * A training or validation image and a test image that show the same.
     *
     * @param seen path of the training or validation image
     * @param test path of the test image
     * @param bits in which their perceptual hashes differ
     * @param correlation of their grey thumbnails
     */
    public record NearPair(String seen, String test, int bits, double correlation) {}

    /**
     * Two images that show the same, though their bytes differ.
     *
     * @param first path of the first image
     * @param second path of the second image
     * @param correlation of their grey thumbnails
     */
    public record Copies(String first, String second, double correlation) {}

    /**
     * An image from which a model can hardly learn.
     *
     * @param problem {@code tiny}, {@code dark}, {@code overexposed}, {@code blank} or {@code blurred}
     * @param detail the measured value, for people
     */
    public record Quality(String path, String problem, String detail) {}

    /** How many groups of equal files reach from training or validation to the test set. */
    public int exactLeaks() {
        return (int) exact.stream().filter(ExactGroup::leaks).count();
    }

    /** Groups of which some images train or validate and others test. */
    public List<Groups.Divided> dividedGroups() {
        DividedDataset divided = DividedDataset.of(dataset);
        return divided.listing().groups().divided(divided.partition());
    }

    /** Whether every file decodes and no test image, or another one of its group, was seen in training. */
    public boolean clean() {
        return broken.isEmpty()
                && exactLeaks() == 0
                && near.isEmpty()
                && dividedGroups().isEmpty();
    }
}
