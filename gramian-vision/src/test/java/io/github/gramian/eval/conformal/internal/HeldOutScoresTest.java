package io.github.gramian.eval.conformal.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HeldOutScoresTest {

    private static final int CLASSES = 3;

    @Test
    void of_very_many_rows_some_are_stored_evenly_spread() {
        double[] values = IntStream.range(0, 100 * CLASSES).mapToDouble(i -> i).toArray();
        int[] labels = IntStream.range(0, 100).map(i -> i % CLASSES).toArray();
        HeldOutScores some = HeldOutScores.of(values, labels, CLASSES, 100);
        assertThat(some.rows()).hasSize(34).startsWith(0, 3, 6).endsWith(99);
        assertThat(some.labels()).containsOnly(0);
        assertThat(Arrays.copyOf(some.scores(), 4)).containsExactly(0, 1, 2, 9);
        assertThat(some.trueProbabilities(0, 50)).hasSize(17).containsOnly(1f / 3);
    }
}
