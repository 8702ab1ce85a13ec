package io.github.gramian.certainty.internal;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Tests whether images, taken together, are less like the training images than other images of the same source are.
 *
 * <p>The statistic is Fisher's, the sum of −log p over the novelty p-values: it grows if all images are slightly more unusual,
 * and also if a few are very unusual, where the Kolmogorov–Smirnov test is weak. All p-values come from the same m calibration
 * scores, so they are not independent and the chi-squared distribution of Fisher's test would give false alarms. If n images
 * come from the same source, each order of them among the calibration scores is equally probable. So the null distribution is
 * drawn from random orders, and the test is exact for every n and m.
 */
public final class Drift {

    private static final int MAX_DRAWS = 9_999;
    private static final int MIN_DRAWS = 999;

    /** Steps of all draws together: one or two seconds. */
    private static final long MAX_STEPS = 300_000_000;

    /** Sums in another order differ by less. */
    private static final double ROUNDING = 1e-9;

    private final int calibration;
    private final double[] terms;

    /** @param calibration number of scores from which the p-values come; the smallest p-value is 1/(1 + calibration) */
    public Drift(int calibration) {
        if (calibration < 1) {
            throw new IllegalArgumentException("a drift test needs calibration scores");
        }
        this.calibration = calibration;
        this.terms = new double[calibration + 1];
        for (int above = 0; above <= calibration; above++) {
            terms[above] = -Math.log((1.0 + above) / (1.0 + calibration));
        }
    }

    /**
     * The p-value of the hypothesis that the images come from the source of the training images.
     *
     * @param novelties p-value of each image; at least one
     * @param seed of the random orders
     */
    public double pValue(double[] novelties, long seed) {
        long draws = MAX_STEPS / (novelties.length + (long) calibration);
        return pValue(novelties, seed, (int) Math.max(MIN_DRAWS, Math.min(MAX_DRAWS, draws)));
    }

    double pValue(double[] novelties, long seed, int draws) {
        if (novelties.length == 0) {
            throw new IllegalArgumentException("a drift test needs at least one image");
        }
        double observed =
                Arrays.stream(novelties).map(novelty -> -Math.log(novelty)).sum();
        SplittableRandom random = new SplittableRandom(seed);
        int atLeast = 0;
        for (int draw = 0; draw < draws; draw++) {
            atLeast += drawn(novelties.length, random) >= observed - ROUNDING * Math.abs(observed) ? 1 : 0;
        }
        return (1.0 + atLeast) / (1.0 + draws);
    }

    /** The statistic of a random order: scores from the largest down, each of an image or of the calibration. */
    private double drawn(int images, SplittableRandom random) {
        double sum = 0;
        int left = images;
        int above = 0;
        while (left > 0 && above < calibration) {
            if (random.nextInt(left + calibration - above) < left) {
                sum += terms[above];
                left--;
            } else {
                above++;
            }
        }
        return sum + left * terms[calibration];
    }
}
