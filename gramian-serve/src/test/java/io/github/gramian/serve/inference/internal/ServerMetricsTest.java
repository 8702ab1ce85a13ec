package io.github.gramian.serve.inference.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ServerMetricsTest {

    @Test
    void threads_of_all_groups_are_counted() throws Exception {
        AtomicReference<String> text = new AtomicReference<>("");
        Thread alone =
                new Thread(new ThreadGroup("alone"), () -> text.set(new ServerMetrics().scrape()), "asks for metrics");
        alone.start();
        alone.join();
        Matcher threads = Pattern.compile("(?m)^jvm_threads ([0-9.]+)").matcher(text.get());
        assertThat(threads.find()).isTrue();
        assertThat(Double.parseDouble(threads.group(1))).isGreaterThan(2);
    }

    @Test
    void every_metric_has_a_description() {
        ServerMetrics metrics = new ServerMetrics();
        metrics.answered("predict", 200);
        metrics.rejected("queue");
        metrics.connections(() -> 1);
        metrics.connectionClosed("slow");
        metrics.reloaded("fabrics", true);
        metrics.inferred("fabrics:1", 1_000_000);
        String text = metrics.scrape();
        List<String> names = text.lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.substring("# TYPE ".length(), line.lastIndexOf(' ')))
                .toList();
        assertThat(names)
                .contains("gramian_requests_total", "gramian_rejected_total", "gramian_reloads_total")
                .allSatisfy(name -> assertThat(text).containsPattern("(?m)^# HELP " + name + " \\S"));
    }

    private static Prediction linen() {
        return Prediction.of("", List.of("linen", "wool"), new float[] {0.75f, 0.25f});
    }

    @Test
    void novelty_confidence_and_classes_of_predictions_are_counted() {
        ServerMetrics metrics = new ServerMetrics();
        metrics.predicted("fabrics:1", linen().withNovelty(0.05), true);
        metrics.predicted("fabrics:1", linen().withNovelty(0.5), true);
        metrics.predicted("fabrics:1", Prediction.rejected("", "not an image"), true);
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
        metrics.predicted("old:1", linen(), true);
        assertThat(metrics.scrape())
                .contains("gramian_confidence_percent_count")
                .doesNotContain("gramian_novelty");
    }

    @Test
    void the_number_of_series_is_bounded() {
        ServerMetrics metrics = new ServerMetrics();
        int classes = ServerMetrics.MAX_CLASSES + 50;
        List<String> names = IntStream.range(0, classes).mapToObj(k -> "c" + k).toList();
        for (int k = 0; k < classes; k++) {
            float[] probabilities = new float[classes];
            probabilities[k] = 1;
            metrics.predicted("many:1", Prediction.of("", names, probabilities), true);
        }
        assertThat(metrics.scrape().lines().filter(line -> line.startsWith("gramian_predictions_total")))
                .hasSize(ServerMetrics.MAX_CLASSES + 1)
                .contains("gramian_predictions_total{class=\"\",model=\"many:1\"} 50.0");
    }
}
