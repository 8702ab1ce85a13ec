package io.github.gramian.eval;

import io.github.gramian.eval.internal.Binomial;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Confidence interval of the accuracy of a fixed model. It covers only the choice of test images:
 * what another seed or another training set would change is not included.
 *
 * @param lower end
 * @param upper end
 * @param level fraction of such intervals that contain the true accuracy, 0.95 for example
 * @param method how it was made
 */
public record ConfidenceInterval(double lower, double upper, double level, Method method) {

    /** How many tests the bootstrap draws by default. */
    public static final int DEFAULT_RESAMPLES = 10_000;

    /** 95 %. */
    public static final double DEFAULT_LEVEL = 0.95;

    /** How an interval was made. */
    public enum Method {
        /** Percentiles of the accuracies of resampled tests. */
        BOOTSTRAP,
        /** Clopper and Pearson's, from the binomial distribution itself. */
        EXACT
    }

    public ConfidenceInterval {
        if (!(lower >= 0 && lower <= upper && upper <= 1)) {
            throw new IllegalArgumentException("an interval of accuracy lies in 0..1 but is " + lower + ".." + upper
                    + "; give fractions, not percent");
        }
        checkLevel(level);
        Objects.requireNonNull(method, "an interval needs a method");
    }

    /**
     * The bootstrap, except for a test in which all images or none are correct: there every resample is the same and the
     * bootstrap would claim certainty. The exact interval, which has a closed form there, takes its place: with
     * α = 1 − level, [(α/2)^(1/n), 1] for all and [0, 1 − (α/2)^(1/n)] for none.
     */
    public static ConfidenceInterval ofAccuracy(int correct, int total, int resamples, double level, long seed) {
        if (total > 0 && (correct == 0 || correct == total)) {
            checkLevel(level);
            double edge = Math.pow((1 - level) / 2, 1.0 / total);
            return correct == 0
                    ? new ConfidenceInterval(0, 1 - edge, level, Method.EXACT)
                    : new ConfidenceInterval(edge, 1, level, Method.EXACT);
        }
        return bootstrap(correct, total, resamples, level, seed);
    }

    /** {@link #ofAccuracy(int, int, int, double, long)} with 10,000 resamples at 95 %. */
    public static ConfidenceInterval ofAccuracy(int correct, int total, long seed) {
        return ofAccuracy(correct, total, DEFAULT_RESAMPLES, DEFAULT_LEVEL, seed);
    }

    /**
     * Percentile bootstrap: the accuracies of {@code resamples} tests, each of n images drawn with replacement from the n
     * there are; the interval leaves out the fraction (1 − level)/2 at both ends.
     *
     * <p>Each draw is a correct image with the probability {@code correct/n}, independently of the others. The number
     * of correct images of a resample is therefore exactly binomial, and is drawn as such, by inverting its
     * distribution function: the work is n + resamples · log n instead of n · resamples.
     */
    public static ConfidenceInterval bootstrap(int correct, int total, int resamples, double level, long seed) {
        if (total < 1) {
            throw new IllegalArgumentException("there are no images; an accuracy needs at least one");
        }
        if (correct < 0 || correct > total) {
            throw new IllegalArgumentException(
                    "correct images must be 0.." + total + " but are " + correct + "; count each image once");
        }
        if (resamples < 1) {
            throw new IllegalArgumentException("resamples must be at least 1 but are " + resamples);
        }
        checkLevel(level);
        if (correct == 0 || correct == total) {
            double only = correct == 0 ? 0 : 1;
            return new ConfidenceInterval(only, only, level, Method.BOOTSTRAP);
        }
        int[] draws = draws(total, (double) correct / total, resamples, new SplittableRandom(seed));
        Arrays.sort(draws);
        int leftOut = (int) Math.floor((1 - level) / 2 * resamples);
        return new ConfidenceInterval(
                (double) draws[leftOut] / total,
                (double) draws[resamples - 1 - leftOut] / total,
                level,
                Method.BOOTSTRAP);
    }

    private static int[] draws(int n, double p, int resamples, SplittableRandom random) {
        double[] cumulative = Binomial.probabilities(n, p);
        for (int k = 1; k <= n; k++) {
            cumulative[k] += cumulative[k - 1];
        }
        int[] draws = new int[resamples];
        for (int r = 0; r < resamples; r++) {
            int found = Arrays.binarySearch(cumulative, random.nextDouble());
            // a miss is −(insertion point) − 1; rounding may leave the last sum a little below 1
            draws[r] = Math.min(n, found >= 0 ? found : -found - 1);
        }
        return draws;
    }

    private static void checkLevel(double level) {
        if (!(level > 0 && level < 1)) {
            throw new IllegalArgumentException("level must lie between 0 and 1 but is " + level + "; 0.95 is common");
        }
    }
}
