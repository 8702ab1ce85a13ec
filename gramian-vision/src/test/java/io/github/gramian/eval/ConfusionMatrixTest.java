package io.github.gramian.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfusionMatrixTest {

    private static final List<String> ANIMALS = List.of("cat", "dog", "owl");

    private static ConfusionMatrix animals() {
        return ConfusionMatrix.of(Predictions.animals(), ANIMALS);
    }

    @Test
    void rows_are_the_truth_and_columns_what_was_predicted() {
        assertThat(animals()).isEqualTo(new ConfusionMatrix(ANIMALS, new int[][] {{2, 1, 0}, {0, 1, 1}, {0, 0, 1}}));
        assertThatThrownBy(() -> new ConfusionMatrix(ANIMALS, new int[][] {{2, 1, 0}, {0, 1}, {0, 0, 1}}))
                .hasMessageContaining("3 rows and columns");
        assertThat(animals().count(0, 1)).isEqualTo(1);
        assertThat(animals().count(1, 0)).isZero();
        assertThat(animals().support(0)).isEqualTo(3);
        assertThat(animals().timesPredicted(0)).isEqualTo(2);
        assertThat(animals().total()).isEqualTo(6);
        assertThat(animals().correct()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void row_sums_are_the_supports_and_all_sums_agree(long seed) {
        List<Prediction> predictions = Predictions.calibrated(seed, 500, 7);
        ConfusionMatrix matrix = ConfusionMatrix.of(predictions, Predictions.names(7));
        int predicted = 0;
        for (int k = 0; k < 7; k++) {
            int truth = k;
            assertThat(matrix.support(k)).isEqualTo((int)
                    predictions.stream().filter(p -> p.truth() == truth).count());
            predicted += matrix.timesPredicted(k);
        }
        assertThat(matrix.total()).isEqualTo(500).isEqualTo(predicted);
        assertThat(matrix.correct()).isEqualTo((int)
                predictions.stream().filter(Prediction::correct).count());
    }

    @Test
    void a_prediction_over_other_classes_is_refused() {
        assertThatThrownBy(() -> ConfusionMatrix.of(List.of(Predictions.sure("a.jpg", 0, 0, 2)), ANIMALS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.jpg has 2 probabilities but there are 3 classes");
    }

    @Test
    void equal_matrices_are_equal() {
        assertThat(animals()).isEqualTo(animals()).hasSameHashCodeAs(animals());
        assertThat(animals()).isNotEqualTo(ConfusionMatrix.of(List.of(), ANIMALS));
        assertThat(animals()).isNotEqualTo(ConfusionMatrix.of(Predictions.animals(), List.of("a", "b", "c")));
        assertThat(animals()).hasToString("ConfusionMatrix[cat, dog, owl][[2, 1, 0], [0, 1, 1], [0, 0, 1]]");
    }

    /** dog: 1 of 2 images correct, 1 of 2 predictions correct, f1 = 2·1/(2+2); cat: f1 = 2·2/(3+2); owl: 2·1/(1+2). */
    @Test
    void class_scores_of_a_manual_example() {
        assertThat(ClassScore.of(animals()))
                .containsExactly(
                        new ClassScore("cat", 3, 1, 2.0 / 3, 0.8),
                        new ClassScore("dog", 2, 0.5, 0.5, 0.5),
                        new ClassScore("owl", 1, 0.5, 1, 2.0 / 3));
    }

    @Test
    void f1_is_the_harmonic_mean_of_precision_and_recall() {
        ClassScore.of(ConfusionMatrix.of(Predictions.calibrated(4, 300, 5), Predictions.names(5)))
                .forEach(one -> assertThat(one.f1())
                        .isEqualTo(
                                2 * one.precision() * one.recall() / (one.precision() + one.recall()), within(1e-12)));
    }

    @Test
    void classes_without_images_or_never_predicted_have_zeros_and_no_nan() {
        List<Prediction> catsTakenForDogs = List.of(Predictions.sure("1", 0, 1, 3));
        assertThat(ClassScore.of(ConfusionMatrix.of(catsTakenForDogs, ANIMALS)))
                .containsExactly(
                        new ClassScore("cat", 1, 0, 0, 0),
                        new ClassScore("dog", 0, 0, 0, 0),
                        new ClassScore("owl", 0, 0, 0, 0));
    }
}
