package io.github.gramian.certainty.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.certainty.PredictionSets;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CalibrationScoresTest {

    private static final int CLASSES = 3;

    @Test
    void of_very_many_rows_some_are_stored_evenly_spread() {
        double[] values = IntStream.range(0, 100 * CLASSES).mapToDouble(i -> i).toArray();
        int[] labels = IntStream.range(0, 100).map(i -> i % CLASSES).toArray();
        CalibrationScores some = CalibrationScores.of(values, labels, CLASSES, 100);
        assertThat(some.rows()).hasSize(34).startsWith(0, 3, 6).endsWith(99);
        assertThat(some.labels()).containsOnly(0);
        assertThat(Arrays.copyOf(some.scores(), 4)).containsExactly(0, 1, 2, 9);
        assertThat(some.trueProbabilities(0, 50)).hasSize(17).containsOnly(1f / 3);
    }

    /** Two classes, so that softmax is 1/(1 + exp(temperature · difference)). */
    @Test
    void the_probability_is_that_of_the_own_class_at_the_temperature() {
        CalibrationScores scores = CalibrationScores.of(new double[] {1, 3, 1, 3, 0, 5}, new int[] {0, 1, 0}, 2);
        float[] found = scores.trueProbabilities(0.5, 0);
        assertThat(found[0]).isCloseTo((float) (1 / (1 + Math.E)), within(1e-6f));
        assertThat(found[1]).isCloseTo((float) (1 / (1 + 1 / Math.E)), within(1e-6f));
        assertThat(found[2]).isCloseTo((float) (1 / (1 + Math.exp(2.5))), within(1e-6f));
        assertThat(scores.trueProbabilities(0.5, 2)).containsExactly(found[2]);
        assertThat(CalibrationScores.none(2).sets(PredictionSets.Source.LEAVE_ONE_OUT, 0.5, 0))
                .isNull();
    }
}
