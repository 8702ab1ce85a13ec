package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.json.internal.Json;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gramian drift} and the report's chapter on certainty, on a model that was trained in seconds. */
class CertaintyCommandsTest {

    @TempDir
    private Path own;

    private static Path photos = Path.of("");
    private static Path run = Path.of("");

    @BeforeAll
    static void train_a_model() {
        DemoRun small = DemoRun.trained();
        photos = small.photos();
        run = small.run();
    }

    private Path noise(int count) throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        Path folder = Files.createDirectories(own.resolve("noise"));
        for (int i = 0; i < count; i++) {
            BufferedImage image = new BufferedImage(96, 96, BufferedImage.TYPE_INT_RGB);
            for (int pixel = 0; pixel < 96 * 96; pixel++) {
                image.setRGB(pixel % 96, pixel / 96, random.nextInt(1 << 24));
            }
            ImageIO.write(image, "png", folder.resolve(i + ".png").toFile());
        }
        return folder;
    }

    private static Path mostUnusual(Path folder) throws IOException {
        Path found = folder;
        double smallest = 1;
        for (String line : gramian("predict", run, folder, "--format", "jsonl", "--quiet")
                .succeeded()
                .out()
                .lines()
                .toList()) {
            JsonNode prediction = Json.parse(line);
            if (prediction.get("novelty").asDouble() < smallest) {
                smallest = prediction.get("novelty").asDouble();
                found = Path.of(prediction.get("file").asText());
            }
        }
        return found;
    }

    private Path copies(Path image, int count) throws IOException {
        Path folder = Files.createDirectories(own.resolve("copies"));
        for (int i = 0; i < count; i++) {
            Files.copy(image, folder.resolve(i + ".png"));
        }
        return folder;
    }

    @Test
    void new_photographs_of_the_same_source_fit_and_many_unusual_ones_do_not() throws IOException {
        Path fresh = own.resolve("fresh");
        gramian("data", "demo", "--out", fresh, "--images", 6, "--seed", 99).succeeded();
        JsonNode fits = gramian("drift", run, fresh, "--json").succeeded().json();
        assertThat(fits.get("images").asInt()).isEqualTo(18);
        assertThat(fits.get("usedInTraining").asInt()).isZero();
        assertThat(fits.get("fits").asBoolean()).as(fits.toString()).isTrue();
        CommandRun text = gramian("drift", run, copies(mostUnusual(noise(18)), 60), "--quiet")
                .succeeded();
        assertThat(text.out())
                .startsWith("The 60 images do not fit the training images (p = 0.00")
                .contains("unusual images (novelty below 0.05):", "classes: predicted in ");
        assertThat(text.err()).isEmpty();
    }

    @Test
    void photographs_of_the_training_are_counted_and_other_files_rejected() throws IOException {
        JsonNode known = gramian("drift", run, photos, "--json").succeeded().json();
        assertThat(known.get("usedInTraining").asInt()).isEqualTo(18);
        assertThat(known.at("/classes/compared").asBoolean()).isTrue();
        Path folder = noise(2);
        Files.writeString(folder.resolve("broken.png"), "no image");
        JsonNode some = gramian("drift", run.resolve("model.gramian"), folder, "--json")
                .succeeded()
                .json();
        assertThat(some.get("rejected").asInt()).isEqualTo(1);
        assertThat(some.at("/classes/compared").asBoolean()).isFalse();
        gramian("drift", run, folder.resolve("broken.png"), "--quiet").refused(2, "none of 1 file");
    }

    @Test
    void the_report_shows_thresholds_to_copy_and_the_coverage_of_sets() throws IOException {
        Path copy = Files.createDirectories(own.resolve("run"));
        for (String file : new String[] {"scores.json", "predictions.jsonl", "model.gramian"}) {
            Files.copy(run.resolve(file), copy.resolve(file));
        }
        gramian("report", copy).succeeded();
        assertThat(Files.readString(copy.resolve("report.html")))
                .contains("<section id=\"certainty\"><h2>Certainty</h2>")
                .contains("<th>answer only above this confidence</th>")
                .containsPattern("<tr><td>0\\.\\d{4}</td><td>[\\d.]+ %</td><td>100.0 %</td></tr>")
                .contains("data-draw=\"sets\"", "<th>requested coverage</th>");
        Files.delete(copy.resolve("model.gramian"));
        gramian("report", copy).succeeded();
        assertThat(Files.readString(copy.resolve("report.html")))
                .contains("answer only above this confidence")
                .doesNotContain("data-draw=\"sets\"");
    }
}
