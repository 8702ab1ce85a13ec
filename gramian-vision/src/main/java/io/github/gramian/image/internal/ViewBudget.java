package io.github.gramian.image.internal;

import io.github.gramian.image.Preprocessing;
import java.util.Comparator;
import java.util.List;

/**
 * How many values the views of images may have: views · 3 · size², summed over the scales of a network. A few
 * words in a recipe or a model can request many, so they are counted before anything is allocated.
 */
public final class ViewBudget {

    /** Of one image: 256 MiB as float, such as ten views of 1,400 pixels a side. */
    public static final long MAX_OF_AN_IMAGE = 1L << 26;

    /** Of a batch: 2 GiB as float. */
    public static final long MAX_OF_A_BATCH = 1L << 29;

    private ViewBudget() {}

    /**
     * Refuses what takes more.
     *
     * @param scales one preprocessing for each size
     * @param batch images at once
     */
    public static void require(List<Preprocessing> scales, int batch) {
        long values = ofImage(scales);
        if (values > MAX_OF_AN_IMAGE) {
            Preprocessing largest = scales.stream()
                    .max(Comparator.comparingLong(Preprocessing::valueCount))
                    .orElseThrow();
            throw new IllegalArgumentException("an image would become " + values + " values (" + largest.views()
                    + " views of " + largest.size() + " pixels a side" + (scales.size() > 1 ? " and others" : "")
                    + "), more than " + MAX_OF_AN_IMAGE + "; use fewer or smaller views");
        }
        if (batch > largestBatch(scales)) {
            throw new IllegalArgumentException("a batch of " + batch + " images would become " + batch * values
                    + " values, more than " + MAX_OF_A_BATCH + "; use batches of at most " + largestBatch(scales)
                    + " images, or fewer or smaller views");
        }
    }

    /** The largest batch; at least one image. */
    public static int largestBatch(List<Preprocessing> scales) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, MAX_OF_A_BATCH / ofImage(scales)));
    }

    private static long ofImage(List<Preprocessing> scales) {
        return scales.stream().mapToLong(Preprocessing::valueCount).reduce(0, Math::addExact);
    }
}
