package io.github.gramian.certainty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriftTest {

    private static final int REPEATS = 1000;
    private static final int DRAWS = 99;

    /** P-values of new scores among calibration scores, as a model computes them. */
    private static double[] novelties(double[] scores, double[] calibration) {
        double[] novelties = new double[scores.length];
        for (int i = 0; i < scores.length; i++) {
            int atLeast = 0;
            for (double one : calibration) {
                atLeast += one >= scores[i] ? 1 : 0;
            }
            novelties[i] = (1.0 + atLeast) / (1.0 + calibration.length);
        }
        return novelties;
    }

    private static double[] normal(int count, double shift, SplittableRandom random) {
        return random.doubles(count)
                .map(uniform -> shift + random.nextGaussian())
                .toArray();
    }

    /** Share of repetitions in which the test finds drift at the 5 % level. */
    private static double alarms(int images, int calibration, double shift, int repeats, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Drift test = new Drift(calibration);
        int alarms = 0;
        for (int i = 0; i < repeats; i++) {
            double[] known = normal(calibration, 0, random);
            double[] found = novelties(normal(images, shift, random), known);
            alarms += test.pValue(found, random.nextLong(), DRAWS) <= 0.05 ? 1 : 0;
        }
        return (double) alarms / repeats;
    }

    /** Also with far more images than calibration scores, where Fisher's own distribution would give alarms every other time. */
    @ParameterizedTest
    @CsvSource({"30, 100, 1", "300, 60, 2", "2, 200, 3", "60, 40, 4"})
    void images_like_the_training_give_false_alarms_at_the_nominal_rate(int images, int calibration, long seed) {
        // 0.05 ± 3 standard deviations of 1,000 repetitions.
        assertThat(alarms(images, calibration, 0, REPEATS, seed)).isBetween(0.0293, 0.0707);
    }

    @ParameterizedTest
    @CsvSource({"50, 200, 0.5, 0.85, 5", "200, 200, 0.5, 0.95, 6", "10, 1000, 1.5, 0.95, 7"})
    void images_that_are_all_slightly_unusual_are_found(
            int images, int calibration, double shift, double least, long seed) {
        assertThat(alarms(images, calibration, shift, 200, seed)).isGreaterThan(least);
    }

    @ParameterizedTest
    @CsvSource({"11", "12", "13"})
    void a_few_very_unusual_images_among_many_are_found(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] calibration = normal(500, 0, random);
        double[] scores = normal(100, 0, random);
        for (int i = 0; i < 15; i++) {
            scores[i] = 6;
        }
        assertThat(new Drift(500).pValue(novelties(scores, calibration), seed)).isLessThan(0.01);
    }

    /** All orders of few images among few calibration scores, each as probable as any other. */
    @ParameterizedTest
    @CsvSource({"1, 3", "2, 3", "3, 2", "3, 5"})
    void p_values_are_those_of_all_orders(int images, int calibration) {
        Drift test = new Drift(calibration);
        List<double[]> orders = orders(images, calibration);
        int draws = 20_000;
        for (double[] found : orders) {
            double share = orders.stream()
                            .filter(other -> statistic(other) > statistic(found) - 1e-9)
                            .count()
                    / (double) orders.size();
            double deviation = Math.sqrt(share * (1 - share) / draws);
            assertThat(test.pValue(found, 31, draws)).isCloseTo(share, within(4 * deviation + 1.0 / draws));
        }
    }

    private static double statistic(double[] novelties) {
        return Arrays.stream(novelties).map(p -> -Math.log(p)).sum();
    }

    /** The p-values of images for each choice of their places among all scores, from the largest score down. */
    private static List<double[]> orders(int images, int calibration) {
        return IntStream.range(0, 1 << images + calibration)
                .filter(places -> Integer.bitCount(places) == images)
                .mapToObj(places -> IntStream.range(0, images + calibration)
                        .filter(place -> (places >> place & 1) == 1)
                        .mapToDouble(place -> {
                            int above = place - Integer.bitCount(places & (1 << place) - 1);
                            return (1.0 + above) / (1.0 + calibration);
                        })
                        .toArray())
                .toList();
    }

    @Test
    void images_that_are_more_usual_than_the_training_images_are_no_drift() {
        SplittableRandom random = new SplittableRandom(21);
        double[] typical = novelties(normal(100, -2, random), normal(100, 0, random));
        assertThat(new Drift(100).pValue(typical, 1)).isGreaterThan(0.99);
    }

    @Test
    void the_same_seed_gives_the_same_p_value() {
        double[] found = {0.2, 0.4, 0.03, 0.9};
        Drift test = new Drift(99);
        assertThat(test.pValue(found, 5)).isEqualTo(test.pValue(found, 5)).isNotEqualTo(test.pValue(found, 6));
        assertThat(test.pValue(new double[] {0.01}, 5)).isBetween(0.005, 0.015);
    }

    @Test
    void nothing_to_test_is_refused() {
        assertThatThrownBy(() -> new Drift(0)).hasMessageContaining("calibration scores");
        assertThatThrownBy(() -> new Drift(3).pValue(new double[0], 1)).hasMessageContaining("at least one image");
    }
}
