package io.github.gramian.dataset;

import io.github.gramian.dataset.internal.ListedImages;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Images with labels, divided into training, validation and test images. {@link #of} builds one in memory; {@code
 * DataConfig.open} reads a directory or a CSV manifest.
 */
public interface Dataset {

    /**
     * A dataset from files and the names of their classes. 80 % of each class are training images, the others test images; a
     * random but fixed choice that depends on the seed.
     *
     * <pre>{@code
     * Dataset photos = Dataset.of(Map.of(Path.of("photos/1.jpg"), "cat", Path.of("photos/2.jpg"), "dog"), 1);
     * }</pre>
     *
     * @param labels file → name of its class
     * @param seed of the random choice
     */
    static Dataset of(Map<Path, String> labels, long seed) {
        return ListedImages.divided(labels, seed);
    }

    /**
     * A dataset that was divided already, from the files of each split and the names of their classes.
     *
     * @param labels split → file → name of its class
     */
    static Dataset ofSplits(Map<Split, Map<Path, String>> labels) {
        return ListedImages.ofSplits(labels);
    }

    /** Its name in evaluation protocols, such as {@code dtd}. */
    String name();

    /** The directory that paths of samples start from. */
    Path root();

    /** Names of the classes; a label is an index into them. */
    List<String> classes();

    /** All samples, by path. */
    List<Sample> samples();

    /** The samples of one split, by path. */
    List<Sample> samples(Split split);

    /** The file of a sample. */
    Path file(Sample sample);

    /** Number of images per split, under the keys {@code train}, {@code val} and {@code test}. */
    Map<String, Integer> counts();

    /** The protocol by which it was divided, and the result for these images. */
    String describeProtocol();
}
