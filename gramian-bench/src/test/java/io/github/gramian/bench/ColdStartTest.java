package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.tensor.internal.StartupTrace;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ColdStartTest {

    @Test
    void parts_follow_the_clock_and_add_up_to_the_whole() {
        ColdStart.Start start = ColdStart.start(
                1_000,
                Map.of(StartupTrace.ENGINE, 5_000L, StartupTrace.MAIN, 2_000L, StartupTrace.ANSWER, 9_000L),
                11_000);
        assertThat(start.total()).isEqualTo(10);
        assertThat(start.parts())
                .isEqualTo(Map.of(StartupTrace.MAIN, 1.0, StartupTrace.ENGINE, 3.0, StartupTrace.ANSWER, 4.0));
        assertThat(start.end()).isEqualTo(2);
    }

    @Test
    void a_summary_has_medians_and_the_spread() {
        ColdStart.Summary summary = ColdStart.Summary.of(List.of(
                new ColdStart.Start(30, Map.of(StartupTrace.MAIN, 3.0), 1),
                new ColdStart.Start(10, Map.of(StartupTrace.MAIN, 1.0), 4),
                new ColdStart.Start(20, Map.of(StartupTrace.MAIN, 2.0), 2)));
        assertThat(summary.median()).isEqualTo(20);
        assertThat(summary.fastest()).isEqualTo(10);
        assertThat(summary.slowest()).isEqualTo(30);
        assertThat(summary.parts()).containsEntry(StartupTrace.MAIN, 2.0);
        assertThat(summary.end()).isEqualTo(2);
    }
}
