package io.github.gramian.lab;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BenchMapsCommandTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void a_mosaic_shows_every_photograph_where_its_label_is(int size) {
        List<RgbImage> materials = List.of(uniform(10), uniform(90), uniform(200));
        int[] classes = {4, 0, 7};
        int side = 60;
        Mosaic mosaic = Mosaic.of(materials, classes, side, size, new Seed(size));
        for (int i = 0; i < side * side; i++) {
            int grey = mosaic.picture().sample(i % side, i / side, 1);
            assertThat(mosaic.labels()[i]).isEqualTo(grey == 10 ? 4 : grey == 90 ? 0 : 7);
        }
        assertThat(Arrays.stream(mosaic.labels()).distinct().sorted().toArray()).containsExactly(0, 4, 7);
        assertThat(Mosaic.of(materials, classes, side, size, new Seed(size)).labels())
                .isEqualTo(mosaic.labels());
    }

    @Test
    void distances_are_those_to_the_nearest_pixel_of_another_class() {
        int side = 40;
        Mosaic mosaic = Mosaic.of(List.of(uniform(1), uniform(2)), new int[] {0, 1}, side, 1, new Seed(3));
        for (int i = 0; i < side * side; i += 7) {
            int place = i;
            double nearest = IntStream.range(0, side * side)
                    .filter(other -> mosaic.labels()[other] != mosaic.labels()[place])
                    .mapToDouble(other -> Math.hypot(other % side - place % side, other / side - place / side))
                    .min()
                    .orElseThrow();
            // Steps along rows, columns and diagonals are at most 8.3 % longer, and the last step may be a diagonal
            // one.
            assertThat((double) mosaic.distances()[i]).isBetween(nearest - 1e-3, 1.083 * nearest + 1);
        }
    }

    private static RgbImage uniform(int grey) {
        byte[] pixels = new byte[3 * 9 * 7];
        Arrays.fill(pixels, (byte) grey);
        return new RgbImage(9, 7, pixels);
    }

    @Test
    void every_method_is_measured_on_the_same_mosaics(@TempDir Path folder) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        for (int period : new int[] {4, 7, 12}) {
            Path directory = Files.createDirectories(folder.resolve("photos").resolve("period" + period));
            for (int i = 0; i < 12; i++) {
                BufferedImage image = new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB);
                int phase = random.nextInt(period);
                for (int p = 0; p < 64 * 64; p++) {
                    int grey = ((p % 64 + phase) / period % 2 == 0 ? 15 * period : 16 * period) + random.nextInt(20);
                    image.setRGB(p % 64, p / 64, grey << 16 | grey << 8 | grey);
                }
                ImageIO.write(image, "png", directory.resolve(i + ".png").toFile());
            }
        }
        Path weights = folder.resolve("w.safetensors");
        gramian("weights", "random", "--as", "resnet18_tiny", "--out", weights).succeeded();
        Object[] arguments = {
            "bench",
            "maps",
            "--images",
            folder.resolve("photos"),
            "--backbone",
            weights,
            "--tap",
            "res3b",
            "--window",
            3,
            "--training",
            6,
            "--mosaics",
            3,
            "--side",
            96,
            "--channels",
            4,
            "--short-side",
            64,
            "--json"
        };
        JsonNode results = gramian(arguments).succeeded().json();
        assertThat(results).hasSize(8).allSatisfy(result -> {
            assertThat(result.path("accuracy").asDouble()).isBetween(0.0, 1.0);
            assertThat(result.path("bySize")).hasSize(3);
            assertThat(result.path("byDistance")).hasSize(5);
            double mean = (result.path("bySize").path(0).asDouble()
                            + result.path("bySize").path(1).asDouble()
                            + result.path("bySize").path(2).asDouble())
                    / 3;
            assertThat(mean).isCloseTo(result.path("accuracy").asDouble(), within(1e-9));
        });
        assertThat(results.path("class map").path("accuracy").asDouble()).isGreaterThan(0.4);
        gramian("bench", "maps", "--images", folder, "--backbone", weights, "--window", 4)
                .refused(2, "--window an odd number");
    }
}
