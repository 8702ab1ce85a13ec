package io.github.gramian.serve.metrics.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
}
