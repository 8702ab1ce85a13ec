package io.github.gramian.bench.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.conformal.internal.SetScores;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SetBenchmarkTest {

    private static final List<String> CLASSES = List.of("a", "b", "c");

    /** The true class is the first one with its probability, so the probabilities are correct. */
    private static List<Prediction> predictions(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            float p = (float) (0.4 + 0.6 * random.nextDouble());
            float[] probabilities = {p, (1 - p) * 0.7f, (1 - p) * 0.3f};
            double uniform = random.nextDouble();
            int truth = uniform < p ? 0 : uniform < p + (1 - p) * 0.7 ? 1 : 2;
            predictions.add(Prediction.of("image " + i, CLASSES, probabilities).withTruth(truth));
        }
        return predictions;
    }

    @Test
    void calibrated_sets_have_their_coverage_and_are_no_larger_than_sets_of_equal_coverage() {
        List<Prediction> held = predictions(4000, 1);
        float[] scores = new float[held.size()];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = 1 - held.get(i).probability(held.get(i).truth());
        }
        List<SetBenchmark.Row> rows =
                SetBenchmark.of(predictions(4000, 2), new SetScores(SetScores.Source.VALIDATION, scores));
        assertThat(rows).extracting(SetBenchmark.Row::level).containsExactlyElementsOf(SetBenchmark.LEVELS);
        for (SetBenchmark.Row row : rows) {
            assertThat(row.coverage()).isCloseTo(row.level(), within(0.02));
            assertThat(row.lower()).isLessThan(row.level());
            assertThat(row.upper()).isGreaterThan(row.level());
            assertThat(row.massCoverage()).isGreaterThan(row.level());
            assertThat(row.equalMassSize()).isBetween(row.meanSize() - 0.02, row.massSize());
        }
    }

    @Test
    void the_interval_is_that_of_the_binomial_distribution() {
        // For 10 images at 0.7, P(X ≤ 3) = 0.011, P(X ≤ 4) = 0.047 and P(X ≤ 9) = 0.972.
        assertThat(SetBenchmark.quantile(10, 0.7, 0.025)).isEqualTo(4);
        assertThat(SetBenchmark.quantile(10, 0.7, 0.975)).isEqualTo(10);
    }
}
