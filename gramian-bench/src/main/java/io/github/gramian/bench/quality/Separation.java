package io.github.gramian.bench.quality;

import java.util.Arrays;

/** How well a score separates unknown images from known ones. A larger score means more unlike the training images. */
final class Separation {

    private Separation() {}

    /** The probability that an unknown image has a larger score than a known one; of equal scores half. */
    static double auroc(double[] known, double[] unknown) {
        double[] sorted = known.clone();
        Arrays.sort(sorted);
        double sum = 0;
        for (double score : unknown) {
            int smaller = firstAtLeast(sorted, score);
            int equal = firstAtLeast(sorted, Math.nextUp(score)) - smaller;
            sum += smaller + 0.5 * equal;
        }
        return sum / ((double) known.length * unknown.length);
    }

    /** The number of sorted values that are smaller. */
    private static int firstAtLeast(double[] sorted, double value) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The share of p-values below a level. */
    static double below(double[] pValues, double level) {
        return Arrays.stream(pValues).filter(p -> p < level).count() / (double) pValues.length;
    }
}
