package io.github.gramian.lab;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measurements on drawn stripes and a tiny network. */
class QualityCommandsTest {

    private static final List<String> SMALL = List.of(
            "backbone.precision=float",
            "views.margin=1",
            "network.branches.0.size=48",
            "network.branches.0.convolution=8");

    @TempDir
    static Path folder;

    @BeforeAll
    static void draw() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        for (int period : new int[] {4, 7, 12}) {
            Path directory = Files.createDirectories(folder.resolve("photos").resolve("period" + period));
            for (int i = 0; i < 12; i++) {
                BufferedImage image = new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB);
                int phase = random.nextInt(period);
                for (int p = 0; p < 64 * 64; p++) {
                    int grey = ((p % 64 + phase) / period % 2 == 0 ? 60 : 160) + random.nextInt(60);
                    image.setRGB(p % 64, p / 64, grey << 16 | grey << 8 | grey);
                }
                ImageIO.write(image, "png", directory.resolve(i + ".png").toFile());
            }
        }
        gramian("weights", "random", "--as", "resnet18_tiny", "--out", folder.resolve("w.safetensors"))
                .succeeded();
    }

    private static JsonNode bench(String name, Object... more) throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(
                "bench",
                name,
                "--images",
                folder.resolve("photos"),
                "--backbone",
                folder.resolve("w.safetensors"),
                "--cache",
                folder.resolve("cache"),
                "--json"));
        SMALL.forEach(setting -> arguments.addAll(List.of("--set", setting)));
        arguments.addAll(List.of(more));
        return gramian(arguments.toArray()).succeeded().json();
    }

    @Test
    void wrong_labels_come_first() throws IOException {
        JsonNode draws = bench("labels", "--flip", "0.1", "--seeds", "2");
        assertThat(draws).hasSize(2).allSatisfy(draw -> {
            assertThat(draw.path("flipped").asInt()).isEqualTo(4);
            assertThat(draw.path("leaveOneOut").asDouble()).isGreaterThan(0.5);
        });
    }

    @Test
    void a_recipe_file_replaces_the_standard_recipe() throws IOException {
        Path recipe = folder.resolve("average.yaml");
        String branch = "network: {branches: [{aggregator: average, descriptor: {powerEpsilon: -1}}]}";
        Files.writeString(recipe, branch);
        assertThat(bench("labels", "--seeds", "1", "--recipe", recipe)).hasSize(1);
        Files.writeString(recipe, branch.replace("aggregator", "agregator"));
        gramian("bench", "labels", "--images", "x", "--backbone", "y", "--cache", "z", "--recipe", recipe)
                .refused(2, "average.yaml", "agregator");
    }

    @Test
    void defects_are_found_next_to_other_methods_and_good_photographs_raise_few_alarms() throws IOException {
        JsonNode report = gramian(
                        "bench",
                        "defects",
                        "--materials",
                        folder.resolve("photos"),
                        "--textures",
                        folder.resolve("photos"),
                        "--backbone",
                        folder.resolve("w.safetensors"),
                        "--taps",
                        "layer2,layer3",
                        "--side",
                        "64",
                        "--good",
                        "10",
                        "--held-out",
                        "2",
                        "--flawed",
                        "1",
                        "--rivals",
                        "10",
                        "--draws",
                        "1",
                        "--group",
                        "^(\\d)",
                        "--json")
                .succeeded()
                .json();
        // Three surfaces, four methods and five kinds of flaws.
        assertThat(report.get("found")).hasSize(60);
        report.get("found")
                .forEach(found -> assertThat(found.get("pixel").asDouble()).isBetween(0.0, 1.0));
        // At 20 % by objects: there are nine, and one is left out.
        assertThat(report.get("draws")).isNotEmpty();
        assertThat(report.get("milliseconds").get("backbone").asDouble()).isPositive();
    }
}
