package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.json.internal.Json;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole photographs: defects from photographs of good parts, and maps of classes. */
class MapCommandTest {

    private static final int WIDTH = 96;
    private static final int HEIGHT = 64;

    @TempDir
    static Path folder;

    private static Path part = Path.of("");
    private static Path classes = Path.of("");

    @BeforeAll
    static void train_both_models() throws IOException {
        Path weights = DemoRun.trained().weights();
        Path good = Files.createDirectories(folder.resolve("good"));
        for (int i = 0; i < 12; i++) {
            write(surface(i), good.resolve(i + ".png"));
        }
        part = folder.resolve("part");
        String printed = gramian(
                        "train",
                        "--good",
                        good,
                        "--backbone",
                        weights,
                        "--out",
                        part,
                        "--alarms",
                        0.1,
                        "--short-side",
                        64)
                .succeeded()
                .out();
        assertThat(printed).startsWith("12 good photographs; at most 10.0 % of good photographs raise an alarm");
        DemoRun small = new DemoRun(folder, weights);
        gramian("data", "demo", "--out", small.photos(), "--images", 8).succeeded();
        classes = small.run();
        small.train(small.photos(), classes, "--map", "--set", "map.window=3").succeeded();
    }

    /** Grey noise; the same number gives the same part. */
    private static BufferedImage surface(long number) {
        SplittableRandom random = new SplittableRandom(number);
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                image.setRGB(x, y, 0x010101 * (100 + random.nextInt(30)));
            }
        }
        return image;
    }

    private static BufferedImage flawed(long number) {
        BufferedImage image = surface(number);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(Color.WHITE);
        graphics.fillRect(64, 16, 16, 16);
        return image;
    }

    private static File write(BufferedImage image, Path file) throws IOException {
        ImageIO.write(image, "png", file.toFile());
        return file.toFile();
    }

    @Test
    void a_defect_is_found_where_it_is() throws IOException {
        File flawed = write(flawed(100), folder.resolve("flawed.png"));
        File intact = write(surface(101), folder.resolve("intact.png"));
        String[] lines = gramian("predict", part, flawed, intact, "--format", "jsonl", "--quiet")
                .succeeded()
                .out()
                .split("\n");
        JsonNode found = Json.parse(lines[0]);
        assertThat(found.get("class").asText()).isEqualTo("defect");
        assertThat(found.get("novelty").asDouble()).isEqualTo(1.0 / 13, within(1e-9));
        assertThat(found.has("probability")).isFalse();
        JsonNode region = found.get("region");
        assertThat(region.get("x").asDouble()).isLessThan(72.0 / WIDTH);
        assertThat(region.get("x").asDouble() + region.get("width").asDouble()).isGreaterThan(72.0 / WIDTH);
        assertThat(region.get("y").asDouble()).isLessThan(24.0 / HEIGHT);
        assertThat(region.get("y").asDouble() + region.get("height").asDouble()).isGreaterThan(24.0 / HEIGHT);
        assertThat(Json.parse(lines[1]).has("region"))
                .isEqualTo(Json.parse(lines[1]).get("class").asText().equals("defect"));
        assertThat(gramian("predict", part, flawed, "--quiet").succeeded().out())
                .contains(": defect (novelty 0.0769) at ", " % from the top");
    }

    @Test
    void map_and_predict_judge_alike() throws IOException {
        File flawed = write(flawed(102), folder.resolve("judged.png"));
        JsonNode map =
                gramian("map", part, flawed, "--format", "jsonl").succeeded().json();
        JsonNode prediction = gramian("predict", part, flawed, "--format", "jsonl", "--quiet")
                .succeeded()
                .json();
        assertThat(map.get("class")).isEqualTo(prediction.get("class"));
        assertThat(map.get("novelty")).isEqualTo(prediction.get("novelty"));
        assertThat(map.get("regions").get(0)).isEqualTo(prediction.get("region"));
    }

    @Test
    void the_scores_of_a_defect_are_written_for_other_programs() throws IOException {
        File flawed = write(flawed(103), folder.resolve("scored.png"));
        Path scores = folder.resolve("scores.png");
        Path picture = folder.resolve("picture.png");
        gramian("map", part, flawed, "--score-map", scores, "--out", picture).succeeded();
        BufferedImage map = ImageIO.read(scores.toFile());
        assertThat(map.getWidth()).isEqualTo(WIDTH);
        assertThat(map.getRaster().getSample(72, 24, 0))
                .isGreaterThan(2 * map.getRaster().getSample(10, 50, 0));
        assertThat(ImageIO.read(picture.toFile()).getHeight()).isEqualTo(HEIGHT);
    }

    @Test
    void areas_of_classes_sum_to_the_whole() throws IOException {
        Path photo = Files.list(new DemoRun(folder, folder).photos().resolve("dots"))
                .sorted()
                .findFirst()
                .orElseThrow();
        Path labels = folder.resolve("labels.png");
        JsonNode map = gramian("map", classes, photo, "--format", "jsonl", "--label-map", labels)
                .succeeded()
                .json();
        double sum = map.get("unknown").asDouble();
        for (JsonNode share : map.get("areas")) {
            sum += share.asDouble();
        }
        assertThat(sum).isEqualTo(1, within(1e-9));
        BufferedImage raster = ImageIO.read(labels.toFile());
        assertThat(raster.getWidth()).isEqualTo(map.get("width").asInt());
        int label = raster.getRaster().getSample(5, 5, 0);
        assertThat(label == 255 || label < map.get("areas").size()).isTrue();
    }

    @Test
    void a_page_shows_all_photographs_of_a_directory() throws IOException {
        Path page = folder.resolve("page.html");
        gramian("map", classes, new DemoRun(folder, folder).photos(), "--out", page)
                .succeeded();
        assertThat(Files.readString(page))
                .contains("<img class=\"layer\" src=\"data:image/png;base64,", "id=\"opacity\"");
    }

    @Test
    void a_model_is_shown_with_what_it_does_to_photographs() throws IOException {
        assertThat(gramian("model", "show", part).succeeded().out())
                .contains("photograph  whole, resized by short:64; good or defect", "classes     2: good, defect")
                .doesNotContain("branch  ", "train the model again");
        assertThat(gramian("model", "show", classes).succeeded().out())
                .contains("photograph  whole, resized by factor:", "; a map of the classes", "branch  ");
        assertThat(gramian("model", "show", part, "--json")
                        .succeeded()
                        .json()
                        .at("/photographs/findsDefects")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void what_does_not_fit_the_model_is_refused() throws IOException {
        File photo = write(surface(104), folder.resolve("any.png"));
        gramian("map", DemoRun.trained().run(), photo).refused(2, "has no maps; train it again with --map");
        gramian("map", part, photo, "--label-map", "x.png").refused(2, "use --score-map");
        gramian("map", classes, photo, "--score-map", "x.png").refused(2, "use --label-map");
        gramian("map", part, photo, "--out", "x.svg").refused(2, "--out must end in .html or .png");
        gramian("predict", part, photo, "--unknown", 0.05).refused(2, "train it again with another --alarms");
        gramian("map", part, photo, "--scale", 2).refused(2, "--scale is for models of classes");
        gramian(
                        "train",
                        "--good",
                        folder.resolve("good"),
                        "--backbone",
                        DemoRun.trained().weights(),
                        "--out",
                        "x")
                .refused(2, "a rate of false alarms of 0.05", "needs at least 19 good photographs, but there are 12");
    }
}
