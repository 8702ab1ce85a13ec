package io.github.gramian.serve.metrics.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PredictionMetricsTest {

    private static Prediction linen() {
        return Prediction.of("", List.of("linen", "wool"), new float[] {0.75f, 0.25f});
    }

    @Test
    void novelty_confidence_and_classes_of_predictions_are_counted() {
        ServerMetrics metrics = new ServerMetrics();
        metrics.predicted("fabrics:1", linen().withNovelty(0.05));
        metrics.predicted("fabrics:1", linen().withNovelty(0.5));
        metrics.predicted("fabrics:1", Prediction.rejected("", "not an image"));
        assertThat(metrics.scrape())
                .contains("gramian_novelty_percent_bucket{model=\"fabrics:1\",le=\"1.0\"} 0")
                .contains("gramian_novelty_percent_bucket{model=\"fabrics:1\",le=\"5.0\"} 1")
                .contains("gramian_novelty_percent_count{model=\"fabrics:1\"} 2")
                .contains("gramian_confidence_percent_bucket{model=\"fabrics:1\",le=\"70.0\"} 0")
                .contains("gramian_confidence_percent_bucket{model=\"fabrics:1\",le=\"80.0\"} 2")
                .contains("gramian_predictions_total{class=\"linen\",model=\"fabrics:1\"} 2.0");
    }

    @Test
    void a_model_without_a_reference_has_no_histogram_of_novelty() {
        ServerMetrics metrics = new ServerMetrics();
        metrics.predicted("old:1", linen());
        assertThat(metrics.scrape())
                .contains("gramian_confidence_percent_count")
                .doesNotContain("gramian_novelty");
    }

    @Test
    void the_number_of_series_is_bounded() {
        ServerMetrics metrics = new ServerMetrics();
        int classes = PredictionMetrics.MAX_CLASSES + 50;
        List<String> names = IntStream.range(0, classes).mapToObj(k -> "c" + k).toList();
        for (int k = 0; k < classes; k++) {
            float[] probabilities = new float[classes];
            probabilities[k] = 1;
            metrics.predicted("many:1", Prediction.of("", names, probabilities));
        }
        assertThat(metrics.scrape().lines().filter(line -> line.startsWith("gramian_predictions_total")))
                .hasSize(PredictionMetrics.MAX_CLASSES + 1)
                .contains("gramian_predictions_total{class=\"\",model=\"many:1\"} 50.0");
    }
}
