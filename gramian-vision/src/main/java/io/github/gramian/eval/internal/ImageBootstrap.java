package io.github.gramian.eval.internal;

import io.github.gramian.eval.ConfidenceInterval;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A mean over test images with its 95 % interval, from a percentile bootstrap over images that is clustered by split.
 *
 * <p>One resample of a single split draws as many of its images as there are, with replacement. If there are several
 * splits, a resample first draws as many splits as there are, with replacement, and then images within each drawn split. All
 * seeds on the same images are averaged first and never drawn: they are not independent runs. An image that is drawn counts
 * for both models of a difference. Splits of one dataset share images, so an interval over splits is too narrow rather
 * than too wide.
 *
 * @param mean over splits of the mean over images
 * @param lower end of the 95 % interval
 * @param upper end of the 95 % interval
 */
public record ImageBootstrap(double mean, double lower, double upper) {

    private static final int RESAMPLES = 10_000;
    private static final double OUTSIDE = 0.025;

    /** Fixed, so that the same results always give the same interval. */
    private static final long SEED = 1;

    /** The mean of any values with its interval. */
    public static ImageBootstrap of(List<ImageValues> splits) {
        if (splits.isEmpty()) {
            throw new IllegalArgumentException("there are no test images to resample; give at least one split");
        }
        SplittableRandom random = new SplittableRandom(SEED);
        double[] means = new double[RESAMPLES];
        for (int resample = 0; resample < RESAMPLES; resample++) {
            double sum = 0;
            for (int i = 0; i < splits.size(); i++) {
                int drawn = splits.size() == 1 ? 0 : random.nextInt(splits.size());
                sum += splits.get(drawn).resampled(random);
            }
            means[resample] = sum / splits.size();
        }
        Arrays.sort(means);
        double mean = splits.stream().mapToDouble(ImageValues::mean).average().orElseThrow();
        return new ImageBootstrap(mean, percentile(means, OUTSIDE), percentile(means, 1 - OUTSIDE));
    }

    /**
     * The mean of {@link ImageValues#correct} with its interval. If all images are correct, or none, every resample is the
     * same and the bootstrap would claim certainty. The exact interval of the smallest split replaces it there.
     */
    public static ImageBootstrap ofAccuracy(List<ImageValues> splits) {
        boolean allCorrect = splits.stream().allMatch(split -> split.areAll(1));
        boolean allWrong = splits.stream().allMatch(split -> split.areAll(0));
        if (splits.isEmpty() || !(allCorrect || allWrong)) {
            return of(splits);
        }
        int images = splits.stream().mapToInt(ImageValues::images).min().orElseThrow();
        ConfidenceInterval exact = ConfidenceInterval.ofAccuracy(allCorrect ? images : 0, images, SEED);
        return new ImageBootstrap(allCorrect ? 1 : 0, exact.lower(), exact.upper());
    }

    private static double percentile(double[] sorted, double share) {
        return sorted[(int) Math.round(share * (sorted.length - 1))];
    }
}
