package io.github.gramian.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalibrationTest {

    private static final double FLOAT = 1e-6;

    /** One correct and one incorrect at 0.9, two correct at 0.7. */
    private static List<Prediction> four() {
        return List.of(
                Predictions.of("1", 0, 0.9, 0.1),
                Predictions.of("2", 1, 0.9, 0.1),
                Predictions.of("3", 0, 0.7, 0.3),
                Predictions.of("4", 1, 0.3, 0.7));
    }

    /** Bin 0.8..1: |0.5 − 0.9| = 0.4; bin 0.6..0.8: |1 − 0.7| = 0.3; half of the images each: 0.2 + 0.15. */
    @Test
    void expected_error_of_a_manual_example() {
        Calibration calibration = Calibration.of(four(), 5);
        assertThat(calibration.expectedError()).isEqualTo(0.35, within(FLOAT));
        assertThat(calibration.bins()).hasSize(5);
        Calibration.Bin last = calibration.bins().get(4);
        assertThat(last.lower()).isEqualTo(0.8);
        assertThat(last.upper()).isEqualTo(1);
        assertThat(last.count()).isEqualTo(2);
        assertThat(last.accuracy()).isEqualTo(0.5);
        assertThat(last.meanConfidence()).isEqualTo(0.9, within(FLOAT));
        assertThat(calibration.bins().get(0)).isEqualTo(new Calibration.Bin(0, 0.2, 0, 0, 0));
    }

    /** In one bin: |0.75 − 0.8|. */
    @Test
    void one_bin_compares_accuracy_with_mean_confidence() {
        assertThat(Calibration.of(four(), 1).expectedError()).isEqualTo(0.05, within(FLOAT));
    }

    /** −(ln 0.9 + ln 0.1 + 2 ln 0.7)/4; Brier (2·0.1² + 2·0.9² + 2·(2·0.3²))/4 = 2/4. */
    @Test
    void likelihood_and_brier_score_of_a_manual_example() {
        Calibration calibration = Calibration.of(four());
        assertThat(calibration.negativeLogLikelihood())
                .isEqualTo(-(Math.log(0.9) + Math.log(0.1) + 2 * Math.log(0.7)) / 4, within(FLOAT));
        assertThat(calibration.brier()).isEqualTo(0.5, within(FLOAT));
        assertThat(calibration.bins()).hasSize(15);
    }

    @Test
    void a_calibrated_model_has_no_calibration_error() {
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            predictions.add(Predictions.of("a" + i, i < 8 ? 0 : 1, 0.8, 0.2));
            predictions.add(Predictions.of("b" + i, i < 6 ? 0 : 1, 0.6, 0.4));
        }
        assertThat(Calibration.of(predictions).expectedError()).isEqualTo(0, within(FLOAT));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void truths_drawn_from_the_probabilities_give_a_small_error_and_overconfidence_a_large_one(long seed) {
        List<Prediction> fair = Predictions.calibrated(seed, 20_000, 4);
        List<Prediction> bold = fair.stream()
                .map(p -> Predictions.sure(p.image(), p.truth(), p.predicted(), 4))
                .toList();
        assertThat(Calibration.of(fair).expectedError()).isLessThan(0.015);
        assertThat(Calibration.of(bold).expectedError()).isGreaterThan(0.2);
        assertThat(Calibration.of(fair).brier()).isLessThan(Calibration.of(bold).brier());
        assertThat(Calibration.of(fair).bins().stream()
                        .mapToInt(Calibration.Bin::count)
                        .sum())
                .isEqualTo(20_000);
    }

    @Test
    void certainty_falls_into_the_last_bin_and_a_certain_mistake_gives_finite_results() {
        Calibration right = Calibration.of(List.of(Predictions.sure("1", 0, 0, 2)));
        assertThat(right.bins().get(14).count()).isEqualTo(1);
        assertThat(right.expectedError()).isZero();
        assertThat(right.negativeLogLikelihood()).isZero();
        assertThat(right.brier()).isZero();
        Calibration wrong = Calibration.of(List.of(Predictions.sure("1", 1, 0, 2)));
        assertThat(wrong.expectedError()).isEqualTo(1);
        assertThat(wrong.negativeLogLikelihood()).isEqualTo(103.28, within(0.01));
        assertThat(wrong.brier()).isEqualTo(2);
    }

    @Test
    void no_images_or_no_bins_are_refused() {
        assertThatThrownBy(() -> Calibration.of(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one image");
        assertThatThrownBy(() -> Calibration.of(four(), 0)).hasMessageContaining("bins must be at least 1");
    }
}
