package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BenchPhotosTest {

    @Test
    void reduced_photographs_look_alike_and_take_less_time_to_decode() throws IOException {
        JsonNode found = gramian(
                        "bench",
                        "photos",
                        "--images",
                        2,
                        "--width",
                        1400,
                        "--height",
                        1050,
                        "--batch",
                        2,
                        "--rounds",
                        1,
                        "--json")
                .succeeded()
                .json();
        assertThat(found.path("images").asInt()).isEqualTo(2);
        assertThat(found.path("speedupOverFull").asDouble())
                .isCloseTo(
                        found.path("full").path("median").asDouble()
                                / found.path("reduced").path("median").asDouble(),
                        within(1e-9));
        assertThat(found.path("decodeMillis").asDouble())
                .isLessThan(found.path("decodeMillisInFull").asDouble());
        assertThat(found.path("decodeShare").asDouble()).isBetween(0.0, 1.0);
        assertThat(found.path("inputDifference").asDouble()).isBetween(0.001, 2.0);
        assertThat(found.path("topAgreement").asDouble()).isBetween(0.0, 1.0);
    }
}
