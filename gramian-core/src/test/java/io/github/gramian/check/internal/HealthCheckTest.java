package io.github.gramian.check.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.check.internal.HealthCheck.GemmGflops;
import io.github.gramian.check.internal.Rounds.Timing;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class HealthCheckTest {

    @Tag("slow")
    @Test
    void this_machine_is_healthy() {
        HealthCheck.Report report = HealthCheck.run();
        assertThat(report.problems()).isEmpty();
        assertThat(report.healthy()).isTrue();
        assertThat(report.gradientError()).isLessThan(HealthCheck.GRADIENT_LIMIT);
        assertThat(report.stiefelError()).isLessThan(HealthCheck.STIEFEL_LIMIT);
    }

    @Test
    void every_problem_comes_with_advice() {
        assertThat(HealthCheck.problems(1e-3, 0.1, new GemmGflops(0.1, 0.1, 0.1, 0.1)))
                .hasSize(3)
                .allSatisfy(problem -> assertThat(problem).containsAnyOf("try", "retry", "report"));
        assertThat(HealthCheck.problems(Double.NaN, Double.NaN, new GemmGflops(Double.NaN, 1, 1, 1)))
                .hasSize(3);
    }

    @Test
    void rounds_alternate_and_leave_warm_ups_out() {
        StringBuilder order = new StringBuilder();
        Map<String, Timing> timings = new Rounds()
                .with("a", () -> order.append('a'))
                .with("b", () -> order.append('b'))
                .run(1, 2);
        assertThat(order.toString()).isEqualTo("ababab");
        assertThat(timings).containsOnlyKeys("a", "b");
        assertThatThrownBy(() -> new Rounds().run(0, 0)).hasMessageContaining("at least 1 round");
    }
}
