package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BenchParallelTest {

    @Test
    void the_benchmark_of_processes_reports_efficiency_and_waiting() throws IOException {
        JsonNode found = gramian("bench", "parallel", "--batch", 4, "--batches", 2, "--rounds", 1, "--json")
                .succeeded()
                .json();
        assertThat(found.path("processes").asInt()).isEqualTo(2);
        assertThat(found.path("threads").asInt()).isEqualTo(1);
        assertThat(found.path("efficiency").asDouble())
                .isEqualTo(
                        found.path("togetherPerSecond").asDouble()
                                / found.path("alonePerSecond").asDouble()
                                / 2,
                        within(1e-9));
        assertThat(found.path("waitingShare").asDouble()).isBetween(0.0, 1.0);
        gramian("bench", "parallel", "--processes", 1).refused(2, "2 to 32 processes");
        gramian("bench", "parallel", "--batches", 1).refused(2, "2 batches");
    }
}
