package io.github.gramian.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScoresTest {

    private static final List<String> ANIMALS = List.of("cat", "dog", "owl");

    /**
     * 4 of 6; precision (1 + 1/2 + 1/2)/3, recall (2/3 + 1/2 + 1)/3 = 13/18, f1 (4/5 + 1/2 + 2/3)/3 = 59/90; certain
     * predictions, 2 of 6 incorrect: calibration error 1/3.
     */
    @Test
    void all_scores_of_a_manual_example() {
        Scores scores = Scores.of(Predictions.animals(), ANIMALS, 1);
        assertThat(scores.accuracy()).isEqualTo(4.0 / 6);
        assertThat(scores.images()).isEqualTo(6);
        assertThat(scores.macroPrecision()).isEqualTo(2.0 / 3, within(1e-12));
        assertThat(scores.macroRecall()).isEqualTo(13.0 / 18, within(1e-12));
        assertThat(scores.meanClassAccuracy()).isEqualTo(13.0 / 18, within(1e-12));
        assertThat(scores.macroF1()).isEqualTo(59.0 / 90, within(1e-12));
        assertThat(scores.calibration().expectedError()).isEqualTo(1.0 / 3, within(1e-12));
        assertThat(scores.interval()).isEqualTo(ConfidenceInterval.ofAccuracy(4, 6, 1));
        assertThat(scores.perClass()).extracting(ClassScore::name).containsExactly("cat", "dog", "owl");
        assertThat(scores.confusion().correct()).isEqualTo(4);
    }

    /** Six classes with falling probabilities: truth 4 is fifth, truth 5 sixth, truth 0 first. */
    @Test
    void top_five_counts_truths_among_the_five_most_probable() {
        double[] falling = {0.3, 0.25, 0.2, 0.15, 0.06, 0.04};
        Scores scores = Scores.of(
                List.of(
                        Predictions.of("1", 4, falling),
                        Predictions.of("2", 5, falling),
                        Predictions.of("3", 0, falling)),
                Predictions.names(6),
                1);
        assertThat(scores.top5()).isEqualTo(2.0 / 3);
        assertThat(scores.summary()).contains(", top-5 66.67 %,");
    }

    @Test
    void with_five_classes_top_five_means_nothing_and_is_absent() {
        assertThat(Scores.of(Predictions.calibrated(1, 20, 5), Predictions.names(5), 1)
                        .top5())
                .isNull();
        assertThat(Scores.of(Predictions.calibrated(1, 20, 6), Predictions.names(6), 1)
                        .top5())
                .isNotNull();
    }

    @Test
    void classes_without_images_are_left_out_of_macro_means() {
        Scores scores = Scores.of(List.of(Predictions.sure("1", 0, 0, 3), Predictions.sure("2", 0, 1, 3)), ANIMALS, 1);
        assertThat(scores.macroRecall()).isEqualTo(0.5);
        assertThat(scores.macroPrecision()).isEqualTo(1);
        assertThat(scores.macroF1()).isEqualTo(2.0 / 3, within(1e-12));
        assertThat(scores.perClass()).hasSize(3);
    }

    @Test
    void balanced_classes_have_equal_accuracy_and_mean_class_accuracy() {
        Scores scores = Scores.of(
                List.of(
                        Predictions.of("1", 0, 0.6, 0.4),
                        Predictions.of("2", 0, 0.3, 0.7),
                        Predictions.of("3", 1, 0.1, 0.9),
                        Predictions.of("4", 1, 0.2, 0.8)),
                List.of("a", "b"),
                1);
        assertThat(scores.meanClassAccuracy()).isEqualTo(scores.accuracy()).isEqualTo(0.75);
    }

    /** 96 of 100 images are of one class, and that class is predicted for all. */
    @Test
    void the_summary_has_the_mean_class_accuracy_where_the_accuracy_hides_a_class() {
        List<Prediction> all = IntStream.range(0, 100)
                .mapToObj(i -> Predictions.sure("" + i, i < 96 ? 0 : 1, 0, 2))
                .toList();
        Scores scores = Scores.of(all, List.of("a", "b"), 1);
        assertThat(scores.accuracy()).isEqualTo(0.96);
        assertThat(scores.summary()).contains("), mean class accuracy 50.00 %, macro F1");
    }

    @Test
    void the_summary_is_one_line_in_every_country() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.GERMANY);
            assertThat(Scores.of(Predictions.animals(), ANIMALS, 1).summary())
                    .isEqualTo("accuracy 66.67 % (95 % interval 33.33..100.00), macro F1 65.56 %,"
                            + " calibration error 33.33 %, 6 images");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void one_class_and_one_image_are_scored() {
        Scores scores = Scores.of(List.of(Predictions.of("1", 0, 1)), List.of("only"), 1);
        assertThat(scores.accuracy()).isEqualTo(1);
        assertThat(scores.macroF1()).isEqualTo(1);
        assertThat(scores.interval().lower()).isEqualTo(0.025, within(1e-12));
        assertThat(scores.summary()).endsWith(", 1 image");
    }

    @Test
    void no_images_doubled_images_and_other_class_lists_are_refused() {
        assertThatThrownBy(() -> Scores.of(List.of(), ANIMALS, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no images to score");
        Prediction cat = Predictions.sure("a", 0, 0, 3);
        assertThatThrownBy(() -> Scores.of(List.of(cat, cat), ANIMALS, 1))
                .hasMessageContaining("average its views first");
        assertThatThrownBy(() -> Scores.of(List.of(cat), List.of("cat"), 1))
                .hasMessageContaining("3 probabilities but there are 1 classes");
    }
}
