package io.github.gramian.eval.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Predictions;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class McNemarTest {

    /** 1 against 7: 2·(1 + 8)/2⁸; 10 against 2: 2·(1 + 12 + 66)/2¹²; 0 against 6: 2/2⁶. */
    @Test
    void small_counts_agree_with_a_manual_calculation() {
        assertThat(McNemar.ofCounts(1, 7).p()).isEqualTo(18.0 / 256, within(1e-15));
        assertThat(McNemar.ofCounts(10, 2).p()).isEqualTo(158.0 / 4096, within(1e-15));
        assertThat(McNemar.ofCounts(0, 6).p()).isEqualTo(0.03125, within(1e-15));
        assertThat(McNemar.ofCounts(5, 5).p()).isEqualTo(1);
        assertThat(McNemar.ofCounts(0, 0).p()).isEqualTo(1);
        assertThat(McNemar.ofCounts(0, 1).p()).isEqualTo(1);
    }

    /**
     * 150 against 86 are the discordant pairs of the much-printed survey on a prime minister's approval; the exact sums of
     * integers C(n, i) over 2ⁿ give these values.
     */
    @ParameterizedTest
    @CsvSource({"150, 86, 3.715936139571442e-05", "121, 59, 4.434449263755176e-06", "570, 430, 1.0709737664959512e-05"})
    void known_values(int first, int second, double p) {
        assertThat(McNemar.ofCounts(first, second).p()).isCloseTo(p, Percentage.withPercentage(1e-8));
        assertThat(McNemar.ofCounts(second, first).p()).isCloseTo(p, Percentage.withPercentage(1e-8));
    }

    @Test
    void the_exact_value_is_that_of_all_outcomes_of_a_coin_enumerated() {
        int coins = 12;
        for (int first = 0; first <= coins; first++) {
            int asExtreme = 0;
            for (int outcome = 0; outcome < 1 << coins; outcome++) {
                int heads = Integer.bitCount(outcome);
                asExtreme += Math.abs(2 * heads - coins) >= Math.abs(2 * first - coins) ? 1 : 0;
            }
            assertThat(McNemar.ofCounts(first, coins - first).p())
                    .isEqualTo((double) asExtreme / (1 << coins), within(1e-12));
        }
    }

    /** With 10⁶ discordant images and z = (|b−c|−1)/√(b+c) = 1.959, p is the normal one, 0.0501. */
    @Test
    void very_many_images_agree_with_the_normal_approximation() {
        assertThat(McNemar.ofCounts(500_980, 499_020).p()).isEqualTo(0.0501, within(0.0001));
        assertThat(McNemar.ofCounts(600_000, 400_000).p()).isEqualTo(0, within(1e-200));
    }

    @Test
    void discordant_images_are_found_by_id_whatever_the_order() {
        Map<String, Boolean> first = McNemar.recognised(Predictions.animals());
        Map<String, Boolean> second = McNemar.recognised(List.of(
                Predictions.sure("6", 2, 2, 3),
                Predictions.sure("5", 1, 1, 3),
                Predictions.sure("4", 1, 0, 3),
                Predictions.sure("3", 0, 0, 3),
                Predictions.sure("2", 0, 0, 3),
                Predictions.sure("1", 0, 0, 3)));
        // 4: only the first; 3 and 5: only the second
        assertThat(McNemar.between(first, second)).isEqualTo(McNemar.ofCounts(1, 2));
        assertThat(McNemar.between(second, first)).isEqualTo(McNemar.ofCounts(2, 1));
    }

    @Test
    void models_that_saw_other_images_are_refused_with_an_image_named() {
        assertThatThrownBy(() -> McNemar.between(Map.of("a", true, "b", true), Map.of("a", true)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only the first model has a prediction for b (2 images against 1)")
                .hasMessageContaining("same test images");
        assertThatThrownBy(() -> McNemar.between(Map.of("a", true), Map.of("a", true, "c", true)))
                .hasMessageContaining("only the second model has a prediction for c");
    }

    @Test
    void doubled_images_and_negative_counts_are_refused() {
        Prediction cat = Predictions.sure("a", 0, 0, 2);
        assertThatThrownBy(() -> McNemar.recognised(List.of(cat, cat))).hasMessageContaining("a is predicted twice");
        assertThatThrownBy(() -> McNemar.ofCounts(-1, 2)).hasMessageContaining("0 or more");
        assertThatThrownBy(() -> McNemar.ofCounts(1, -2)).hasMessageContaining("0 or more");
    }
}
