package io.github.gramian.serve.metrics.internal;

import static org.assertj.core.api.Assertions.assertThat;

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
}
