package io.github.gramian.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.certainty.PredictionSets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PredictionTest {

    @Test
    void the_most_probable_class_is_predicted_and_the_truth_has_its_rank() {
        Prediction prediction = Predictions.of("a.jpg", 2, 0.5, 0.125, 0.25, 0.125);
        assertThat(prediction.predicted()).isZero();
        assertThat(prediction.confidence()).isEqualTo(0.5);
        assertThat(prediction.correct()).isFalse();
        assertThat(prediction.rankOfTruth()).isEqualTo(2);
        assertThat(prediction.probability(2)).isEqualTo(0.25f);
        assertThat(prediction.classes()).hasSize(4);
        assertThat(prediction).hasToString("a.jpg: class0 with 0.5, truth class2");
        assertThat(Predictions.of("a.jpg", 0, 0.5, 0.25, 0.25).correct()).isTrue();
    }

    @Test
    void among_equal_probabilities_the_first_class_is_predicted() {
        for (int truth = 0; truth < 4; truth++) {
            Prediction prediction = Predictions.of("a.jpg", truth, 0.25, 0.25, 0.25, 0.25);
            assertThat(prediction.predicted()).isZero();
            assertThat(prediction.rankOfTruth()).isEqualTo(truth + 1);
        }
    }

    @Test
    void a_prediction_cannot_be_changed_from_outside() {
        float[] given = {0.75f, 0.25f};
        Prediction prediction = Prediction.of("a.jpg", List.of("cat", "dog"), given);
        given[0] = 0;
        prediction.probabilities()[0] = 0;
        assertThat(prediction.probabilities()).containsExactly(0.75f, 0.25f);
    }

    @Test
    void without_a_truth_it_names_the_most_probable_classes() {
        Prediction prediction = Prediction.of("a.jpg", List.of("cat", "dog", "owl"), new float[] {0.25f, 0.5f, 0.25f});
        assertThat(prediction.label()).isEqualTo("dog");
        assertThat(prediction.top(2))
                .containsExactly(new Prediction.Candidate(1, "dog", 0.5f), new Prediction.Candidate(0, "cat", 0.25f));
        assertThat(prediction.top(9)).hasSize(3);
        assertThat(prediction.rejection()).isEmpty();
        assertThat(prediction).hasToString("a.jpg: dog with 0.5");
        assertThatThrownBy(prediction::truth).hasMessageContaining("not known");
        assertThatThrownBy(prediction::correct).hasMessageContaining("not known");
        assertThat(prediction.withImage("b.jpg").image()).isEqualTo("b.jpg");
    }

    @Test
    void a_rejected_image_has_a_reason_and_no_label() {
        Prediction prediction = Prediction.rejected("a.txt", "it is text");
        assertThat(prediction.rejection()).contains("it is text");
        assertThat(prediction.probabilities()).isEmpty();
        assertThat(prediction.top(1)).isEmpty();
        assertThat(prediction).hasToString("a.txt: rejected: it is text");
        assertThatThrownBy(prediction::label).hasMessageContaining("a.txt was rejected: it is text");
        assertThatThrownBy(prediction::confidence).hasMessageContaining("was rejected");
        assertThatThrownBy(() -> prediction.withTruth(0)).hasMessageContaining("was rejected");
        assertThat(prediction).isNotEqualTo(Prediction.rejected("a.txt", "it is empty"));
    }

    @Test
    void equal_predictions_are_equal() {
        Prediction one = Predictions.of("a", 0, 0.75, 0.25);
        assertThat(one)
                .isEqualTo(Predictions.of("a", 0, 0.75, 0.25))
                .hasSameHashCodeAs(Predictions.of("a", 0, 0.75, 0.25));
        assertThat(one).isNotEqualTo(Predictions.of("b", 0, 0.75, 0.25));
        assertThat(one).isNotEqualTo(Predictions.of("a", 1, 0.75, 0.25));
        assertThat(one).isNotEqualTo(Predictions.of("a", 0, 0.5, 0.5));
    }

    @Test
    void what_is_not_a_probability_is_refused_with_the_image_named() {
        assertThatThrownBy(() -> Predictions.of("a.jpg", 0, Double.NaN, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("probability 0 of a.jpg is NaN");
        assertThatThrownBy(() -> Predictions.of("a.jpg", 0, 1, Double.POSITIVE_INFINITY))
                .hasMessageContaining("probability 1 of a.jpg is Infinity");
        assertThatThrownBy(() -> Predictions.of("a.jpg", 0, 1.5, -0.5)).hasMessageContaining("is -0.5");
        assertThatThrownBy(() -> Predictions.of("a.jpg", 0, 0.5, 0.4)).hasMessageContaining("softmax values");
        assertThatThrownBy(() -> Predictions.of("a.jpg", 0, 0.6, 0.5)).hasMessageContaining("softmax values");
        assertThatThrownBy(() -> Predictions.of("a.jpg", 2, 0.5, 0.5)).hasMessageContaining("classes 0..1");
        assertThatThrownBy(() -> Predictions.of("a.jpg", -1, 0.5, 0.5)).hasMessageContaining("is -1");
        assertThatThrownBy(() -> Predictions.of("a.jpg", 0)).hasMessageContaining("0 probabilities");
        assertThatThrownBy(() -> Predictions.of(" ", 0, 1)).hasMessageContaining("path of its image");
    }

    @Test
    void rounding_of_a_softmax_is_not_an_error_and_gives_no_confidence_above_one() {
        assertThat(Predictions.of("a.jpg", 0, 1.0000002, 0).confidence()).isEqualTo(1.0);
    }

    @Test
    void a_set_holds_the_probable_classes_and_always_the_most_probable_one() {
        Prediction prediction = Prediction.of("x", List.of("a", "b", "c"), new float[] {0.2f, 0.5f, 0.3f})
                .withSets(new PredictionSets(PredictionSets.Source.VALIDATION, hundredths()));
        assertThat(prediction.set(0.9)).isEqualTo(prediction.top(3));
        assertThat(prediction.withImage("y").set(0.75)).isEqualTo(prediction.top(2));
        assertThat(prediction.withTruth(0).set(0.6)).isEqualTo(prediction.top(1));
        assertThat(prediction.withNovelty(0.5).set(0.1)).as("would be empty").isEqualTo(prediction.top(1));
    }

    /** With these scores, a set holds the classes of probability 1 − coverage and more. */
    private static float[] hundredths() {
        float[] scores = new float[99];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = (i + 1) / 100f;
        }
        return scores;
    }

    @Test
    void a_model_without_calibration_scores_gives_no_sets() {
        Prediction prediction = Prediction.of("x", List.of("a"), new float[] {1});
        assertThatThrownBy(() -> prediction.set(0.9))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("train it again");
    }
}
