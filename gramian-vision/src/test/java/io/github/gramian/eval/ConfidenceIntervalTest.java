package io.github.gramian.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.ConfidenceInterval.Method;
import io.github.gramian.eval.internal.Binomial;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfidenceIntervalTest {

    /** Of 2¹⁰ = 1024: P(X ≤ 1) = 11/1024 < 2.5 % < P(X ≤ 2) = 56/1024, so the lower end is 2/10; symmetric above. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void five_of_ten_agrees_with_a_manual_calculation(long seed) {
        assertThat(ConfidenceInterval.bootstrap(5, 10, 10_000, 0.95, seed))
                .isEqualTo(new ConfidenceInterval(0.2, 0.8, 0.95, Method.BOOTSTRAP));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void binomial_draws_give_what_resampling_image_by_image_gives(long seed) {
        SplittableRandom random = new SplittableRandom(seed + 100);
        int images = 120;
        int correct = 90;
        int[] sums = new int[10_000];
        for (int r = 0; r < sums.length; r++) {
            for (int i = 0; i < images; i++) {
                sums[r] += random.nextInt(images) < correct ? 1 : 0;
            }
        }
        Arrays.sort(sums);
        ConfidenceInterval interval = ConfidenceInterval.bootstrap(correct, images, 10_000, 0.9, seed);
        assertThat(interval.lower()).isEqualTo((double) sums[500] / images, within(1.01 / images));
        assertThat(interval.upper()).isEqualTo((double) sums[9_499] / images, within(1.01 / images));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void about_95_of_100_intervals_hold_the_true_accuracy(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int held = 0;
        for (int trial = 0; trial < 1_000; trial++) {
            int correct = 0;
            for (int i = 0; i < 300; i++) {
                correct += random.nextDouble() < 0.8 ? 1 : 0;
            }
            ConfidenceInterval interval = ConfidenceInterval.ofAccuracy(correct, 300, 2_000, 0.95, trial);
            held += interval.lower() <= 0.8 && 0.8 <= interval.upper() ? 1 : 0;
        }
        assertThat(held).isBetween(925, 970);
    }

    /** √(0.9·0.1/100000) = 0.00095, times 1.96. */
    @Test
    void many_images_give_the_normal_interval_and_one_seed_one_result() {
        ConfidenceInterval interval = ConfidenceInterval.ofAccuracy(90_000, 100_000, 7);
        assertThat(interval.lower()).isEqualTo(0.9 - 0.00186, within(0.0001));
        assertThat(interval.upper()).isEqualTo(0.9 + 0.00186, within(0.0001));
        assertThat(ConfidenceInterval.ofAccuracy(90_000, 100_000, 7)).isEqualTo(interval);
        assertThat(ConfidenceInterval.ofAccuracy(90_000, 100_000, 8)).isNotEqualTo(interval);
    }

    /** 0.025^(1/410) = 0.99104. */
    @Test
    void all_correct_or_none_correct_is_not_certainty() {
        ConfidenceInterval all = ConfidenceInterval.ofAccuracy(410, 410, 1);
        assertThat(all.lower()).isEqualTo(0.991043, within(1e-6));
        assertThat(all.upper()).isEqualTo(1);
        assertThat(all.method()).isEqualTo(Method.EXACT);
        ConfidenceInterval none = ConfidenceInterval.ofAccuracy(0, 410, 1);
        assertThat(none.lower()).isZero();
        assertThat(none.upper()).isEqualTo(1 - 0.991043, within(1e-6));
    }

    @Test
    void the_plain_bootstrap_of_equal_images_has_no_width() {
        assertThat(ConfidenceInterval.bootstrap(4, 4, 10, 0.9, 1))
                .isEqualTo(new ConfidenceInterval(1, 1, 0.9, Method.BOOTSTRAP));
        assertThat(ConfidenceInterval.bootstrap(0, 4, 10, 0.9, 1))
                .isEqualTo(new ConfidenceInterval(0, 0, 0.9, Method.BOOTSTRAP));
    }

    @Test
    void senseless_requests_are_refused() {
        assertThatThrownBy(() -> ConfidenceInterval.ofAccuracy(0, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no images");
        assertThatThrownBy(() -> ConfidenceInterval.ofAccuracy(5, 4, 1)).hasMessageContaining("0..4");
        assertThatThrownBy(() -> ConfidenceInterval.ofAccuracy(-1, 4, 1)).hasMessageContaining("0..4");
        assertThatThrownBy(() -> ConfidenceInterval.ofAccuracy(1, 4, 0, 0.9, 1)).hasMessageContaining("resamples");
        assertThatThrownBy(() -> ConfidenceInterval.ofAccuracy(4, 4, 10, 95, 1)).hasMessageContaining("level");
        assertThatThrownBy(() -> ConfidenceInterval.ofAccuracy(1, 4, 10, Double.NaN, 1))
                .hasMessageContaining("level");
        assertThatThrownBy(() -> new ConfidenceInterval(80, 90, 0.95, Method.EXACT))
                .hasMessageContaining("not percent");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.3, 0.5, 0.9, 0.9999})
    void binomial_probabilities_have_the_expected_sum_mean_and_variance(double p) {
        int n = 50_000;
        double[] mass = Binomial.probabilities(n, p);
        double sum = 0;
        double mean = 0;
        double variance = 0;
        for (int k = 0; k <= n; k++) {
            sum += mass[k];
            mean += k * mass[k];
            variance += (k - n * p) * (k - n * p) * mass[k];
        }
        assertThat(sum).isEqualTo(1, within(1e-12));
        assertThat(mean / n).isEqualTo(p, within(1e-12));
        assertThat(variance / (n * p * (1 - p))).isEqualTo(1, within(1e-9));
    }
}
