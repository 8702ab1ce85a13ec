package io.github.gramian.bench.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeparationTest {

    @Test
    void separate_scores_have_an_area_of_one_and_equal_scores_of_one_half() {
        assertThat(Separation.auroc(new double[] {1, 2}, new double[] {3, 4})).isEqualTo(1);
        assertThat(Separation.auroc(new double[] {3, 4}, new double[] {1, 2})).isEqualTo(0);
        assertThat(Separation.auroc(new double[] {1, 1}, new double[] {1, 1, 1}))
                .isEqualTo(0.5);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void the_area_is_the_share_of_pairs_in_the_right_order(long seed) {
        Random random = new Random(seed);
        double[] known = random.ints(40, 0, 20).asDoubleStream().toArray();
        double[] unknown = random.ints(30, 5, 25).asDoubleStream().toArray();
        double pairs = 0;
        for (double a : known) {
            for (double b : unknown) {
                pairs += b > a ? 1 : b == a ? 0.5 : 0;
            }
        }
        assertThat(Separation.auroc(known, unknown)).isCloseTo(pairs / 1200, within(1e-12));
    }

    @Test
    void distances_on_averages_are_larger_away_from_the_training_images() {
        Random random = new Random(3);
        float[][] training = new float[60][];
        int[] labels = new int[60];
        for (int i = 0; i < 60; i++) {
            labels[i] = i % 2;
            training[i] = point(random, labels[i] == 0 ? 1 : 3, 0);
        }
        float[][] asked = {point(random, 1, 0), point(random, 3, 0), point(random, 1, 3)};
        double[] nearest = AverageBaselines.nearest(training, asked);
        double[] mahalanobis = AverageBaselines.mahalanobis(training, labels, asked);
        assertThat(nearest[2]).isGreaterThan(nearest[0]).isGreaterThan(nearest[1]);
        assertThat(mahalanobis[2]).isGreaterThan(5 * mahalanobis[0]).isGreaterThan(5 * mahalanobis[1]);
    }

    private static float[] point(Random random, double x, double y) {
        double[] centre = {x, 1, y};
        float[] point = new float[3];
        for (int i = 0; i < 3; i++) {
            point[i] = (float) (centre[i] + 0.1 * random.nextGaussian());
        }
        return point;
    }
}
