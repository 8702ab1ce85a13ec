package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.recipe.internal.SyntheticModel;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchInferenceTest {

    @TempDir
    private Path folder;

    @Tag("slow")
    @Test
    void each_precision_is_measured_with_each_batch() throws IOException {
        Path model = folder.resolve("model.gramian");
        new SyntheticModel(Architecture.RESNET18, List.of("a", "b"), new Seed(1)).write(model);
        JsonNode found = gramian(
                        "bench",
                        "inference",
                        model,
                        "--precision",
                        "float,bfloat16",
                        "--batch",
                        "1,2",
                        "--images",
                        2,
                        "--rounds",
                        1,
                        "--json")
                .succeeded()
                .json();
        assertThat(found).hasSize(4);
        assertThat(found.get(1).path("batch").asInt()).isEqualTo(2);
        assertThat(found.get(2).path("precision").asText()).isEqualTo("BFLOAT16");
        found.forEach(one -> assertThat(one.path("limitShare").asDouble()).isBetween(1e-4, 2.0));
        found.forEach(one -> assertThat(one.path("imagesPerSecond").asDouble())
                .isCloseTo(2e3 / one.path("round").path("median").asDouble(), within(1e-9)));
    }

    @Test
    void a_batch_larger_than_a_round_is_refused() {
        gramian("bench", "inference", "none.gramian", "--batch", "64").refused(2, "1 to 32 images");
    }
}
