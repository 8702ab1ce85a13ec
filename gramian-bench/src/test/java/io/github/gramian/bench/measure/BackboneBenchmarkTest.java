package io.github.gramian.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.tensor.Precision;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
