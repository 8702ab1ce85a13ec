package io.github.gramian.optim.internal;

/**
 * The paper's schedule: the rate is divided when the validation error stops falling. It depends on past errors instead of
 * the step number, so each observation returns a new value; a checkpoint saves it as it is.
 *
 * @param rate the current learning rate
 * @param factor times the rate at a plateau
 * @param patience how many observations in a row may bring nothing better
 * @param threshold how much smaller (relatively) counts as better
 * @param best the smallest error so far
 * @param waited observations since then
 */
public record Plateau(double rate, double factor, int patience, double threshold, double best, int waited) {

    /** Too small to move any weight, and still above zero after as many plateaus as there may be. */
    private static final double MIN_RATE = Double.MIN_NORMAL;

    public Plateau {
        if (!(rate > 0) || !(factor > 0 && factor < 1) || patience < 0 || !(threshold >= 0 && threshold < 1)) {
            throw new IllegalArgumentException("a plateau schedule needs rate > 0, factor in (0, 1), patience >= 0 and"
                    + " threshold in [0, 1), but got " + rate + ", " + factor + ", " + patience + ", " + threshold);
        }
    }

    /** At its start. */
    public static Plateau from(double rate, double factor, int patience) {
        return new Plateau(rate, factor, patience, 1e-3, Double.POSITIVE_INFINITY, 0);
    }

    /** The same at a rate that another descent had. */
    public Plateau withRate(double other) {
        return new Plateau(other, factor, patience, threshold, best, waited);
    }

    /** The schedule after one more validation error (or loss). */
    public Plateau observe(double error) {
        if (error < best * (1 - threshold)) {
            return new Plateau(rate, factor, patience, threshold, error, 0);
        }
        if (waited < patience) {
            return new Plateau(rate, factor, patience, threshold, best, waited + 1);
        }
        return new Plateau(Math.max(MIN_RATE, rate * factor), factor, patience, threshold, best, 0);
    }
}
