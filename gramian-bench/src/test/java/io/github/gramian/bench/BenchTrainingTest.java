package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("speed")
class BenchTrainingTest {

    @Test
    void training_prints_every_rate_next_to_its_baseline() throws Exception {
        JsonNode all = gramian("bench", "training", "--batch", 4, "--batches", 1, "--rounds", 1, "--json")
                .succeeded()
                .json();
        for (String part : new String[] {"stage1", "stage2", "predictions"}) {
            JsonNode found = all.path(part);
            double ours = found.path("imagesPerSecond").asDouble();
            assertThat(ours).as(part).isPositive();
            assertThat(found.path("ratio").asDouble())
                    .as(part)
                    .isCloseTo(ours / found.path("baselinePerSecond").asDouble(), within(1e-9));
            assertThat(found.path("images").asInt()).as(part).isEqualTo(part.equals("stage1") ? 4 : 2);
        }
    }

    @Test
    void a_batch_of_one_cannot_be_halved() {
        gramian("bench", "training", "--batch", 1).refused(2, "at least 2 images");
    }
}
