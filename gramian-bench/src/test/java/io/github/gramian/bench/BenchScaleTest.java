package io.github.gramian.bench;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.cli.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("speed") // once, on one JDK
class BenchScaleTest {

    @TempDir
    private Path folder;

    @Test
    void scale_writes_a_page_with_plots_and_prints_the_measurements() throws Exception {
        CommandRun run = gramian("bench", "scale", "--quick", "--json", "--out", folder);
        JsonNode all = run.succeeded().json();
        assertThat(all.at("/result/sweeps")).hasSize(5);
        assertThat(all.at("/result/path/imagesPerSecond").asDouble()).isPositive();
        assertThat(all.at("/oneCore/path/threads").asInt())
                .as("measured by a process of one core")
                .isEqualTo(1);
        assertThat(run.err()).contains("measuring the head over C");

        String page = Files.readString(folder.resolve("performance.md"));
        assertThat(page)
                .contains(
                        "`gramian bench scale --out " + folder + " --quick`",
                        "predict 10⁹ images",
                        "| C′, columns of W |")
                .contains("There are no GPU figures")
                .doesNotContain("NaN", "null", "not measured");
        for (String plot : new String[] {"time.png", "images.png"}) {
            assertThat(page).contains("(performance/" + plot + ")");
            assertThat(ImageIO.read(folder.resolve("performance").resolve(plot).toFile())
                            .getWidth())
                    .isEqualTo(720);
        }
    }
}
