package io.github.gramian.label.internal;

import java.util.Arrays;

/** The middle of some values. */
final class Medians {

    private Medians() {}

    /** The median; of an even number of values, the upper one of the two in the middle. */
    static double of(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
