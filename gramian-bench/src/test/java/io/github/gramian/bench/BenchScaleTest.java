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

    private static void measuredFiguresComeFirstAndNameTheirMachine(String page) {
        String measured = page.substring(0, page.indexOf("## What was calculated"));
        String[] parts = measured.split("\n\\|[-|]+\\|\n");
        assertThat(parts).as("parts before and after three tables").hasSize(4);
        for (int i = 0; i < 3; i++) {
            int heading = parts[i].lastIndexOf("\n\n");
            assertThat(parts[i].substring(parts[i].lastIndexOf("\n\n", heading - 1), heading))
                    .as("paragraph before a table")
                    .contains("Measured on ");
        }
        assertThat(measured).doesNotContain("operations", "10⁹");
    }

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
                .contains("`gramian bench scale --out " + folder + " --quick`", "| 10⁹ |", "| C′, columns of W |")
                .contains("There are no GPU figures")
                .satisfies(BenchScaleTest::measuredFiguresComeFirstAndNameTheirMachine)
                .doesNotContain("NaN", "null", "not measured");
        for (String plot : new String[] {"time.png", "images.png"}) {
            assertThat(page).contains("(performance/" + plot + ")");
            assertThat(ImageIO.read(folder.resolve("performance").resolve(plot).toFile())
                            .getWidth())
                    .isEqualTo(720);
        }
    }
}
