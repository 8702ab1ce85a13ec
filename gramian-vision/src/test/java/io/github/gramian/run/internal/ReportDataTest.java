package io.github.gramian.run.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.Sample;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReportDataTest {

    private static List<Sample> samples(int... labels) {
        return IntStream.range(0, labels.length)
                .mapToObj(i -> new Sample("image " + i, i + ".png", labels[i]))
                .toList();
    }

    @Test
    void matrices_are_of_images_of_different_classes_in_whatever_order_they_come() {
        assertThat(ReportData.Collector.firstOfClasses(samples(0, 0, 1, 1, 2, 3), 3))
                .containsExactly(0, 2, 4);
        assertThat(ReportData.Collector.firstOfClasses(samples(4, 1, 4, 1, 1, 0, 2), 3))
                .containsExactly(0, 1, 5);
        assertThat(ReportData.Collector.firstOfClasses(samples(1, 1), 3)).containsExactly(0);
        assertThat(ReportData.Collector.firstOfClasses(samples(), 3)).isEmpty();
    }
}
