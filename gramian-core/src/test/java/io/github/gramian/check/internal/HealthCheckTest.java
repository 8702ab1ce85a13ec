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
    void every_round_runs_each_contender_once_in_an_order_that_changes_between_rounds() {
        String order = order(1, 8);
        assertThat(order.split("(?<=\\G..)")).hasSize(9).allMatch(round -> round.equals("ab") || round.equals("ba"));
        assertThat(order).contains("aa", "bb");
        assertThat(order(1, 8)).as("order of a second run").isEqualTo(order);
    }

    @Test
    void a_measurement_needs_a_round() {
        assertThatThrownBy(() -> new Rounds().run(0, 0)).hasMessageContaining("at least 1 round");
    }

    private static String order(int warmUps, int rounds) {
        StringBuilder order = new StringBuilder();
        Map<String, Timing> timings = new Rounds()
                .with("a", () -> order.append('a'))
                .with("b", () -> order.append('b'))
                .run(warmUps, rounds);
        assertThat(timings).containsOnlyKeys("a", "b");
        return order.toString();
    }
}
