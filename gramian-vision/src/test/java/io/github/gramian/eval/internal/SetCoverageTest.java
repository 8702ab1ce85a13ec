package io.github.gramian.eval.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.eval.Prediction;
import java.util.List;
import org.junit.jupiter.api.Test;

class SetCoverageTest {

    private static final List<String> CLASSES = List.of("a", "b", "c");

    private static Prediction prediction(int truth, float... probabilities) {
        return Prediction.of("x", CLASSES, probabilities).withTruth(truth);
    }

    private static final List<Prediction> FOUR = List.of(
            prediction(0, 0.9f, 0.05f, 0.05f),
            prediction(1, 0.5f, 0.4f, 0.1f),
            prediction(2, 0.25f, 0.15f, 0.6f),
            prediction(0, 0.3f, 0.36f, 0.34f));

    @Test
    void coverage_and_size_are_counted_with_and_without_empty_sets() {
        // The threshold at 0.5 is the second of three scores: classes of probability 0.5 and more.
        PredictionSets scores = PredictionSets.of(PredictionSets.Source.VALIDATION, new float[] {0.3f, 0.5f, 0.8f});
        SetCoverage found = SetCoverage.of(FOUR, scores, List.of(0.5, 0.7));
        assertThat(found.calibrationScores()).isEqualTo(3);
        SetCoverage.Level half = found.levels().get(0);
        assertThat(half.exactCoverage()).isEqualTo(0.5);
        assertThat(half.exactMeanSize()).isEqualTo(0.75);
        assertThat(half.coverage()).isEqualTo(0.5);
        assertThat(half.meanSize()).isEqualTo(1);
        assertThat(half.single()).isEqualTo(1);
        SetCoverage.Level more = found.levels().get(1);
        assertThat(more.coverage()).isEqualTo(1);
        assertThat(more.meanSize()).isEqualTo(1.75);
        assertThat(more.single()).isEqualTo(0.5);
    }

    @Test
    void the_most_probable_class_of_an_empty_set_counts() {
        PredictionSets scores = PredictionSets.of(PredictionSets.Source.VALIDATION, new float[] {0.95f, 0.97f, 0.99f});
        SetCoverage.Level level =
                SetCoverage.of(FOUR, scores, List.of(0.5)).levels().get(0);
        assertThat(level.exactCoverage()).isZero();
        assertThat(level.coverage()).isEqualTo(0.5);
        assertThat(level.meanSize()).isEqualTo(1);
    }

    @Test
    void fewer_answers_are_more_often_right() {
        List<RiskCoverage.Row> rows = RiskCoverage.of(FOUR).rows();
        assertThat(rows).hasSize(3);
        assertThat(rows.get(0)).isEqualTo(new RiskCoverage.Row(0.36f, 0.5, 1));
        assertThat(rows.get(1).confidence()).isCloseTo(0.5, within(1e-6));
        assertThat(rows.get(1).accuracy()).isCloseTo(2.0 / 3, within(1e-9));
        assertThat(rows.get(2)).isEqualTo(new RiskCoverage.Row(0.6f, 1, 0.5));
    }

    @Test
    void images_of_equal_confidence_are_answered_together() {
        List<Prediction> equal = List.of(FOUR.get(0), FOUR.get(1), FOUR.get(1).withImage("y"), FOUR.get(1));
        assertThat(RiskCoverage.of(equal).rows()).containsExactly(new RiskCoverage.Row(0.5, 0.25, 1));
    }
}
