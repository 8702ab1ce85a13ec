package io.github.gramian.train.ridge.internal;

import io.github.gramian.recipe.RidgeConfig;
import java.util.Locale;

/**
 * How ridge regression on n rows of d dimensions is solved. All give the same weights; they differ in what they cost.
 *
 * <table>
 * <caption>The rule</caption>
 * <tr><td>n ≤ {@link #MAX_DUAL_ROWS}</td><td>{@link #DUAL}</td></tr>
 * <tr><td>otherwise, if 40·d² bytes are within {@code ridge.memoryBudget}</td><td>{@link #PRIMAL}</td></tr>
 * <tr><td>otherwise</td><td>{@link #CONJUGATE_GRADIENTS}</td></tr>
 * </table>
 */
public enum RidgeMethod {
    /** From the n × n matrix of inner products: about 6 n² doubles of memory, O(n³) time. */
    DUAL,
    /** From the d × d matrix of second moments: about 5 d² doubles of memory, O(n d² + d³) time. */
    PRIMAL,
    /** By passes over the rows: O(n d c) time for each pass and penalty, with c classes. */
    CONJUGATE_GRADIENTS;

    /** Beyond this the n × n matrices take more than 7 GB, and the decomposition many minutes. */
    public static final int MAX_DUAL_ROWS = 12_000;

    /** The moments, their eigenvectors and the memory in which they are computed. */
    private static final double MATRICES = 5;

    /** The method for a number of rows, those for training and validation together. */
    public static RidgeMethod of(long rows, long length, RidgeConfig config) {
        if (rows <= MAX_DUAL_ROWS) {
            return DUAL;
        }
        double moments = MATRICES * Double.BYTES * length * length;
        return moments <= config.memoryBudget() ? PRIMAL : CONJUGATE_GRADIENTS;
    }

    /** Whether what a row's prediction would be without that row is known exactly. */
    public boolean leavesOut() {
        return this != CONJUGATE_GRADIENTS;
    }

    /** A description of the method, for people. */
    String sentence(long rows, long length) {
        return String.format(
                Locale.ROOT,
                switch (this) {
                    case DUAL -> "the closed form is solved from the inner products of %,d images";
                    case PRIMAL -> "the closed form for %,d images is solved from the moments of their %,d dimensions";
                    case CONJUGATE_GRADIENTS ->
                        "the closed form for %,d images of %,d dimensions is solved by conjugate gradients";
                },
                rows,
                length);
    }
}
