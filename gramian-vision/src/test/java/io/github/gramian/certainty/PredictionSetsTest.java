package io.github.gramian.certainty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sets of classes hold the true class as often as they promise. */
class PredictionSetsTest {

    private static final int CLASSES = 6;

    /** Probabilities of a classifier that is wrong about its own certainty, and the index of the true class. */
    @SuppressWarnings("ArrayRecordComponent") // read only
    private record Image(float[] probabilities, int truth) {}

    private static Image image(Random random, double overconfidence) {
        double[] logits = random.doubles(CLASSES, -2, 2).toArray();
        double[] honest = softmax(logits, 1);
        double draw = random.nextDouble();
        int truth = 0;
        while (truth < CLASSES - 1 && draw > honest[truth]) {
            draw -= honest[truth++];
        }
        double[] shown = softmax(logits, overconfidence);
        float[] probabilities = new float[CLASSES];
        for (int k = 0; k < CLASSES; k++) {
            probabilities[k] = (float) shown[k];
        }
        return new Image(probabilities, truth);
    }

    private static double[] softmax(double[] logits, double factor) {
        double sum =
                Arrays.stream(logits).map(value -> Math.exp(factor * value)).sum();
        return Arrays.stream(logits)
                .map(value -> Math.exp(factor * value) / sum)
                .toArray();
    }

    private static PredictionSets calibrated(Random random, int images, double overconfidence) {
        float[] truths = new float[images];
        for (int i = 0; i < images; i++) {
            Image image = image(random, overconfidence);
            truths[i] = image.probabilities[image.truth];
        }
        return PredictionSets.of(PredictionSets.Source.VALIDATION, truths);
    }

    @ParameterizedTest
    @CsvSource({"0.8, 9, 0.5", "0.9, 9, 1", "0.9, 50, 3", "0.95, 19, 1", "0.95, 200, 0.2"})
    void the_true_class_is_in_the_set_as_often_as_promised_whatever_the_probabilities(
            double level, int calibrationImages, double overconfidence) {
        Random random = new Random(7);
        int draws = 200_000 / calibrationImages;
        int covered = 0;
        for (int i = 0; i < draws; i++) {
            PredictionSets scores = calibrated(random, calibrationImages, overconfidence);
            Image fresh = image(random, overconfidence);
            covered += scores.members(fresh.probabilities, level).contains(fresh.truth) ? 1 : 0;
        }
        double expected = Math.ceil((calibrationImages + 1) * level - 1e-9) / (calibrationImages + 1);
        assertThat((double) covered / draws)
                .as("exact: without a correction for finite samples it would be lower")
                .isCloseTo(expected, within(4 * Math.sqrt(expected * (1 - expected) / draws)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void a_set_at_a_higher_level_contains_the_set_at_a_lower_one(long seed) {
        Random random = new Random(seed);
        PredictionSets scores = calibrated(random, 40, 2);
        for (int i = 0; i < 100; i++) {
            Image image = image(random, 2);
            List<Integer> smaller = List.of();
            for (int percent = 1; percent < 100; percent++) {
                List<Integer> set = scores.members(image.probabilities, percent / 100.0);
                assertThat(set).hasSizeGreaterThanOrEqualTo(smaller.size());
                assertThat(set.subList(0, smaller.size())).isEqualTo(smaller);
                smaller = set;
            }
        }
    }

    @Test
    void equal_probabilities_are_in_the_set_together_and_in_the_order_of_the_classes() {
        PredictionSets scores = PredictionSets.of(PredictionSets.Source.VALIDATION, new float[] {0.3f, 0.3f, 0.3f});
        assertThat(scores.members(new float[] {0.1f, 0.3f, 0.3f, 0.3f}, 0.5)).containsExactly(1, 2, 3);
    }

    @Test
    void the_rank_is_exact_where_floating_point_is_not() {
        float[] truths = new float[99];
        for (int i = 0; i < 99; i++) {
            truths[i] = i / 100f;
        }
        PredictionSets scores = PredictionSets.of(PredictionSets.Source.VALIDATION, truths);
        for (int percent = 1; percent < 100; percent++) {
            assertThat(scores.threshold(percent / 100.0)).isEqualTo(scores.scores()[percent - 1]);
        }
    }

    @Test
    void too_few_images_for_a_level_give_all_classes() {
        PredictionSets nine = calibrated(new Random(1), 9, 1);
        assertThat(PredictionSets.fewestScores(0.9)).isEqualTo(9);
        assertThat(PredictionSets.fewestScores(0.95)).isEqualTo(19);
        assertThat(nine.threshold(0.9)).isFinite();
        assertThat(nine.threshold(0.91)).isInfinite();
        assertThat(nine.members(new float[] {1, 0, 0}, 0.95)).containsExactly(0, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {101, 250, 1999, 2000})
    void fewer_scores_than_there_were_images_lose_no_coverage(int images) {
        float[] sorted = new float[images];
        for (int i = 0; i < images; i++) {
            sorted[i] = i / (float) images;
        }
        PredictionSets all = new PredictionSets(PredictionSets.Source.VALIDATION, sorted);
        PredictionSets few = new PredictionSets(PredictionSets.Source.VALIDATION, PredictionSets.reduced(sorted, 100));
        assertThat(few.scores()).hasSize(100);
        for (int percent = 1; percent < 99; percent++) {
            double level = percent / 100.0;
            assertThat(few.threshold(level)).isBetween(all.threshold(level), all.threshold(level + 0.011));
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, -0.1, 90, Double.NaN})
    void a_level_is_a_share(double level) {
        PredictionSets scores = calibrated(new Random(1), 20, 1);
        assertThatThrownBy(() -> scores.threshold(level))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("coverage must lie between 0 and 1");
    }
}
