package io.github.gramian.train.ridge.internal;

import io.github.gramian.train.descriptor.internal.Descriptors;
import java.util.stream.IntStream;

/**
 * Descriptors with the class of each.
 *
 * @param originals number of the image that each row is a version of; all images have the same number of versions
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record LabelledRows(Descriptors rows, int[] labels, int[] originals) {

    /** Every row is another image. */
    LabelledRows(Descriptors rows, int[] labels) {
        this(rows, labels, IntStream.range(0, labels.length).toArray());
    }

    int count() {
        return labels.length;
    }

    LabelledRows then(LabelledRows other) {
        int images = IntStream.of(originals).max().orElse(-1) + 1;
        return new LabelledRows(
                rows.then(other.rows),
                IntStream.concat(IntStream.of(labels), IntStream.of(other.labels))
                        .toArray(),
                IntStream.concat(
                                IntStream.of(originals),
                                IntStream.of(other.originals).map(image -> images + image))
                        .toArray());
    }

    /**
     * Rows of each image: [images][versions].
     *
     * @throws IllegalArgumentException if images have different numbers of versions
     */
    long[][] versions() {
        int images = IntStream.of(originals).max().orElse(-1) + 1;
        int each = originals.length / Math.max(1, images);
        long[][] versions = new long[images][each];
        int[] found = new int[images];
        for (int row = 0; row < originals.length; row++) {
            int image = originals[row];
            if (found[image] == each) {
                throw new IllegalArgumentException("image " + image + " has more versions than others");
            }
            versions[image][found[image]++] = row;
        }
        return versions;
    }

    int[] labels(int[] some) {
        return IntStream.of(some).map(row -> labels[row]).toArray();
    }
}
