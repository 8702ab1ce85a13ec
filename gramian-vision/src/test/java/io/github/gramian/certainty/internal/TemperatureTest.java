package io.github.gramian.certainty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemperatureTest {

    private static final int CLASSES = 4;

    private static int[] labels(int n) {
        int[] labels = new int[n];
        for (int i = 0; i < n; i++) {
            labels[i] = (i * 7) % CLASSES;
        }
        return labels;
    }

    /** Noise, with so much added to the score of the label. */
    private static double[] scores(long seed, int n, double margin, double scale) {
        Random random = new Random(seed);
        int[] labels = labels(n);
        double[] scores = new double[n * CLASSES];
        for (int i = 0; i < scores.length; i++) {
            boolean label = i % CLASSES == labels[i / CLASSES];
            scores[i] = scale * (random.nextGaussian() + (label ? margin : 0));
        }
        return scores;
    }

    private static Temperature temperature(long seed, int n, double margin, double scale) {
        return new Temperature(scores(seed, n, margin, scale), labels(n), CLASSES);
    }

    /** The loss of labels of which one of n + 1 was drawn blindly: what the best temperature minimises. */
    private static double softenedLogLoss(double[] scores, double s) {
        int[] labels = labels(scores.length / CLASSES);
        double blind = 1.0 / (labels.length + 1);
        double loss = 0;
        for (int row = 0; row < labels.length; row++) {
            double total = 0;
            double sum = 0;
            for (int i = row * CLASSES; i < (row + 1) * CLASSES; i++) {
                total += Math.exp(s * (scores[i] - scores[row * CLASSES + labels[row]]));
                sum += scores[i] - scores[row * CLASSES + labels[row]];
            }
            loss += (Math.log(total) - s * blind * sum / CLASSES) / labels.length;
        }
        return loss;
    }

    @ParameterizedTest
    @CsvSource({"1, 0.5, 1", "2, 2, 1", "3, 2, 0.001", "4, 2, 100", "5, 8, 1", "6, 20, 0.1", "7, 0.2, 10"})
    void the_best_temperature_is_that_of_a_fine_grid(long seed, double margin, double scale) {
        double[] scores = scores(seed, 200, margin, scale);
        double best = new Temperature(scores, labels(200), CLASSES).best();
        double grid = 1e-3;
        double least = softenedLogLoss(scores, grid);
        for (double s = grid; s <= Temperature.MAX; s *= 1.001) {
            double loss = softenedLogLoss(scores, s);
            grid = loss < least ? s : grid;
            least = Math.min(loss, least);
        }
        assertThat(best).isBetween(grid / 1.002, grid * 1.002);
        assertThat(softenedLogLoss(scores, best)).isLessThanOrEqualTo(least + 1e-14);
    }

    @Test
    void scores_without_a_mistake_remain_short_of_certainty() {
        Temperature temperature = temperature(1, 100, 50, 0.01);
        double best = temperature.best();
        assertThat(temperature.accuracy()).isEqualTo(1);
        assertThat(best).isLessThan(Temperature.MAX);
        assertThat(temperature.logLoss(best)).isPositive();
    }

    @Test
    void softening_hardly_moves_the_temperature_of_scores_with_mistakes() {
        Temperature temperature = temperature(2, 5000, 1, 1);
        double best = temperature.best();
        assertThat(temperature.logLoss(best))
                .isCloseTo(Math.min(temperature.logLoss(best * 1.01), temperature.logLoss(best / 1.01)), within(1e-4));
        assertThat(temperature.logLoss(best)).isLessThan(Math.log(CLASSES));
    }

    @Test
    void scores_that_speak_against_the_labels_become_nearly_uniform_probabilities() {
        Temperature temperature = temperature(3, 100, -3, 1);
        assertThat(temperature.best()).isEqualTo(temperature.min());
        assertThat(temperature.logLoss(temperature.best())).isCloseTo(Math.log(CLASSES), within(0.05));
        assertThat(temperature.accuracy()).isLessThan(0.1);
    }

    /** In 95 of 100 draws. */
    @ParameterizedTest
    @ValueSource(ints = {2, 5, 10, 30, 100})
    void thirty_rows_find_the_factor_within_about_a_factor_of_two(int rows) {
        double truth = temperature(0, 20_000, 1, 1).best();
        double[] errors = new Random(rows)
                .longs(100)
                .mapToDouble(
                        seed -> Math.abs(Math.log(temperature(seed, rows, 1, 1).best() / truth)))
                .sorted()
                .toArray();
        assertThat(Math.exp(errors[94]) < 2.2).isEqualTo(rows >= Temperature.MIN_ROWS);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 0.001, 1000})
    void the_floor_follows_the_scale_of_the_scores(double scale) {
        double[] scores = scores(3, 100, -3, scale);
        double best = new Temperature(scores, labels(100), CLASSES).best();
        for (int row = 0; row < 100; row++) {
            float[] probabilities = new float[CLASSES];
            double total = 0;
            int largest = 0;
            for (int c = 0; c < CLASSES; c++) {
                total += Math.exp(best * scores[row * CLASSES + c]);
                largest = scores[row * CLASSES + c] > scores[row * CLASSES + largest] ? c : largest;
            }
            for (int c = 0; c < CLASSES; c++) {
                probabilities[c] = (float) (Math.exp(best * scores[row * CLASSES + c]) / total);
            }
            for (int c = 0; c < CLASSES; c++) {
                assertThat(c == largest || probabilities[c] < probabilities[largest])
                        .isTrue();
            }
        }
    }

    @Test
    void equal_scores_give_equal_probabilities() {
        Temperature temperature = new Temperature(new double[8], new int[] {0, 1}, CLASSES);
        assertThat(temperature.logLoss(temperature.best())).isCloseTo(Math.log(CLASSES), within(1e-12));
        assertThat(temperature.accuracy()).isEqualTo(0.5);
    }
}
