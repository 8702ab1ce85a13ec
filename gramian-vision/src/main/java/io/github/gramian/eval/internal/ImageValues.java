package io.github.gramian.eval.internal;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One value per test image of a split: the mean over all seeds that were evaluated on these images. Another seed on the same
 * images makes these means more precise. It does not add an image.
 */
public final class ImageValues {

    private final int images;
    private final double mean;

    /** The most frequent value. Only the images with another value are stored, which makes a resample cheap. */
    private final double common;

    /** The other values minus the most frequent one. */
    private final double[] deviations;

    /** Whether the other values are all the same, as those of a single seed are. */
    private final boolean alike;

    /** Distribution function of the number of images of a resample whose value differs from the most frequent one. */
    private final double[] cumulative;

    private ImageValues(double[] values) {
        images = values.length;
        mean = Arrays.stream(values).sum() / images;
        common = mostFrequent(values);
        deviations = Arrays.stream(values)
                .filter(value -> value != common)
                .map(value -> value - common)
                .toArray();
        alike = Arrays.stream(deviations).distinct().count() <= 1;
        cumulative = Binomial.probabilities(images, (double) deviations.length / images);
        for (int k = 1; k < cumulative.length; k++) {
            cumulative[k] += cumulative[k - 1];
        }
    }

    /**
     * Fraction of the seeds that predict an image correctly.
     *
     * @param seeds for each seed, which images it predicts correctly
     */
    public static ImageValues correct(List<List<Boolean>> seeds) {
        return new ImageValues(means(seeds));
    }

    /** The same fraction for the second model minus that for the first. */
    public static ImageValues difference(List<List<Boolean>> first, List<List<Boolean>> second) {
        double[] before = means(first);
        double[] after = means(second);
        if (before.length != after.length) {
            throw new IllegalArgumentException("the models were evaluated on " + before.length + " and " + after.length
                    + " images; compare them on the same images");
        }
        for (int i = 0; i < after.length; i++) {
            after[i] -= before[i];
        }
        return new ImageValues(after);
    }

    private static double[] means(List<List<Boolean>> seeds) {
        if (seeds.isEmpty() || seeds.get(0).isEmpty()) {
            throw new IllegalArgumentException("there are no predictions; give at least one image and one seed");
        }
        int[] correct = new int[seeds.get(0).size()];
        for (List<Boolean> seed : seeds) {
            if (seed.size() != correct.length) {
                throw new IllegalArgumentException("one seed was evaluated on " + correct.length
                        + " images and another on " + seed.size() + "; group runs by their test images");
            }
            for (int i = 0; i < correct.length; i++) {
                correct[i] += seed.get(i) ? 1 : 0;
            }
        }
        return Arrays.stream(correct)
                .mapToDouble(count -> (double) count / seeds.size())
                .toArray();
    }

    private static double mostFrequent(double[] values) {
        Map<Double, Integer> counts = new HashMap<>();
        double common = values[0];
        for (double value : values) {
            int count = counts.merge(value, 1, Integer::sum);
            if (count > counts.getOrDefault(common, 0)) {
                common = value;
            }
        }
        return common;
    }

    int images() {
        return images;
    }

    double mean() {
        return mean;
    }

    boolean areAll(double value) {
        return deviations.length == 0 && common == value;
    }

    /** Mean over as many images as there are, drawn with replacement. */
    double resampled(SplittableRandom random) {
        int others = others(random);
        if (others == 0) {
            return common;
        }
        if (alike) {
            return common + others * deviations[0] / images;
        }
        double sum = 0;
        for (int i = 0; i < others; i++) {
            sum += deviations[random.nextInt(deviations.length)];
        }
        return common + sum / images;
    }

    /** How many of the drawn images do not have the most frequent value: binomial, and cheaper than drawing every image. */
    private int others(SplittableRandom random) {
        if (deviations.length == 0) {
            return 0;
        }
        int found = Arrays.binarySearch(cumulative, random.nextDouble());
        // a miss is −(insertion point) − 1; rounding may leave the last sum slightly below 1
        return Math.min(images, found >= 0 ? found : -found - 1);
    }
}
