package io.github.gramian.search.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;

/**
 * A mean over images with its standard error. Images of one group are not independent: the error is that of sums over groups,
 * SE² = Σ_g (Σ_{i∈g} (xᵢ − x̄))² / n², which for images on their own is the usual one.
 *
 * @param mean x̄
 * @param error its standard error
 */
public record Estimate(double mean, double error) {

    /** Half the width of a 95 % interval, in standard errors. */
    private static final double WIDE = 1.96;

    /** The accuracy of one trial. Where all images agree, its error is that of one more image each way, not zero. */
    static Estimate of(TrialResult trial, List<String> groups) {
        Estimate found = of(trial.hits().length(), trial::hit, groups);
        if (found.error() > 0) {
            return found;
        }
        double images = trial.images() + 2.0;
        double share = (found.mean() * trial.images() + 1) / images;
        return new Estimate(found.mean(), Math.sqrt(share * (1 - share) / images));
    }

    /** By how much one trial is better than another on the images that both predicted. */
    static Estimate difference(TrialResult better, TrialResult other, List<String> groups) {
        if (better.rung() != other.rung()) {
            throw new IllegalArgumentException("trials on different rungs cannot be compared image by image");
        }
        return of(better.hits().length(), i -> better.hit(i) - other.hit(i), groups);
    }

    private static Estimate of(int images, IntToDoubleFunction values, List<String> groups) {
        double sum = 0;
        int count = 0;
        for (int i = 0; i < images; i++) {
            double value = values.applyAsDouble(i);
            if (!Double.isNaN(value)) {
                sum += value;
                count++;
            }
        }
        double mean = sum / count;
        Map<String, Double> byGroup = new HashMap<>();
        for (int i = 0; i < images; i++) {
            double value = values.applyAsDouble(i);
            if (!Double.isNaN(value)) {
                byGroup.merge(Objects.requireNonNull(groups.get(i)), value - mean, Double::sum);
            }
        }
        // In a fixed order, since a sum of rounded values depends on it.
        double squares = groups.stream()
                .distinct()
                .filter(byGroup::containsKey)
                .mapToDouble(group -> Math.pow(Objects.requireNonNull(byGroup.get(group)), 2))
                .sum();
        return new Estimate(mean, Math.sqrt(squares) / count);
    }

    /** Whether it is above zero by more than this number of standard errors. */
    boolean exceeds(double errors) {
        return mean > errors * error;
    }

    /** Half the width of the 95 % interval. */
    public double halfInterval() {
        return WIDE * error;
    }
}
