package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

class BenchRidgeTest {

    @Test
    void scores_are_those_of_the_dual_on_rows_whose_spectrum_decays() throws Exception {
        JsonNode found = gramian(
                        "bench",
                        "ridge",
                        "--rows",
                        700,
                        "--dimensions",
                        1056,
                        "--classes",
                        5,
                        "--compare-rows",
                        400,
                        "--half",
                        "--json")
                .succeeded()
                .json();
        assertThat(found.path("maxScoreDifference").asDouble()).isPositive().isLessThan(1e-5);
        assertThat(found.path("maxScoreError").asDouble()).isLessThan(1e-5);
        assertThat(found.path("maxHalfError").asDouble()).isGreaterThan(1e-5);
        assertThat(found.path("iterations").asInt()).isPositive();
        assertThat(found.path("seconds").asDouble()).isPositive();
        assertThat(found.path("accuracy").asDouble()).isGreaterThan(0.5);
    }

    @Test
    void without_rows_to_compare_the_dual_is_not_reported() {
        String out = gramian("bench", "ridge", "--rows", 60, "--dimensions", 64, "--classes", 3, "--compare-rows", 0)
                .succeeded()
                .out();
        assertThat(out).contains("fitted in").doesNotContain("NaN", "dual");
    }

    @Test
    void what_was_not_measured_is_null_in_json() throws Exception {
        JsonNode found = gramian(
                        "bench",
                        "ridge",
                        "--rows",
                        60,
                        "--dimensions",
                        64,
                        "--classes",
                        3,
                        "--compare-rows",
                        30,
                        "--json")
                .succeeded()
                .json();
        assertThat(found.get("maxHalfError").isNull()).isTrue();
        assertThat(found.get("maxScoreError").isNumber()).isTrue();
    }

    @Test
    void sizes_that_cannot_be_measured_are_refused() {
        gramian("bench", "ridge", "--compare-rows", 20000).refused(2, "0..12000");
        gramian("bench", "ridge", "--rows", 100).refused(2, "10 rows of each");
    }
}
