package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.bench.BenchBackboneCommand.BackboneBenchmark;
import io.github.gramian.bench.BenchBackboneCommand.EngineBenchmark;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.internal.Engine;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackboneBenchmarkTest {

    @Tag("slow")
    @Test
    void our_pipeline_is_compared_with_a_bare_loop(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("grey.jpg");
        ImageIO.write(new BufferedImage(300, 260, BufferedImage.TYPE_BYTE_GRAY), "jpg", file.toFile());
        BackboneBenchmark.Result result = new BackboneBenchmark(1, 1, 1, Precision.BFLOAT16).run(List.of(file));
        assertThat(result.imagesPerSecond()).containsOnlyKeys("bareFloat", "bare", "ours", "oursFromFiles");
        double bare = result.imagesPerSecond().getOrDefault("bare", Double.NaN);
        assertThat(result.ratioToBare())
                .isCloseTo(result.imagesPerSecond().getOrDefault("ours", Double.NaN) / bare, within(1e-9));
        assertThat(result.bf16Speedup()).isPositive();
        assertThat(result.ratioFromFiles()).isPositive();
    }

    @Test
    void without_images_there_is_nothing_to_measure() {
        assertThatThrownBy(() -> new BackboneBenchmark(1, 1, 1, Precision.BFLOAT16).run(List.of()))
                .hasMessageContaining("at least one");
    }

    @Test
    void each_engine_is_measured_with_each_batch_and_thread_count() throws IOException {
        int before = Engine.describe().threads();
        EngineBenchmark benchmark = new EngineBenchmark(
                BackboneConfig.named("resnet18_tiny-torchvision"),
                64,
                List.of(1, 2),
                List.of(1, 2),
                1,
                Precision.FLOAT);

        List<EngineBenchmark.Result> results = benchmark.run();

        assertThat(results).hasSize(8);
        assertThat(results).extracting(EngineBenchmark.Result::engine).contains("plain", "gramian");
        assertThat(results).allSatisfy(result -> {
            assertThat(result.imagesPerSecond()).isPositive();
            assertThat(result.limitShare()).isPositive();
        });
        assertThat(Engine.describe().threads()).isEqualTo(before);
    }

    /** The counts that the authors of the networks published, in multiplications with additions. */
    @ParameterizedTest
    @CsvSource({"resnet18-torchvision, res5b, 224, 1.81e9", "convnext_tiny-torchvision, stage4_3, 224, 4.46e9"})
    void operations_are_those_that_were_published(String network, String tap, int size, double published) {
        assertThat(Operations.perImage(network, List.of(tap), size) / 2)
                .isCloseTo(published, Percentage.withPercentage(2));
    }

    @Test
    void attention_counts_its_two_products() {
        double tokens = 17 * 17 + 1;
        double block = 12 * 384.0 * 384 * tokens + 2 * tokens * tokens * 384;
        double patches = 384 * 3 * 14 * 14 * 17.0 * 17;
        assertThat(Operations.perImage("vits14-dinov2", List.of("block1"), 238) / 2)
                .isCloseTo(patches + block, within(1.0));
    }
}
