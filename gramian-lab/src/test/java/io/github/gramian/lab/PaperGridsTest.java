package io.github.gramian.lab;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.lab.grid.Grid;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The paper's table from end to end: every row of it, rehearsed with VGG-16 of random weights on a few images in the layout of CUB. */
@Tag("slow")
class PaperGridsTest {

    private static final Path GRID = Path.of("../grids/paper-table1.yaml");

    @TempDir
    static Path folder;

    private static Path weights = Path.of("");

    @BeforeAll
    static void draw() throws IOException {
        assumeTrue(Files.isRegularFile(GRID));
        List<String> images = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        List<String> training = new ArrayList<>();
        List<String> birds = List.of("004.Groove_billed_Ani", "009.Brewer_Blackbird");
        Path cub = folder.resolve("data/CUB_200_2011");
        for (int i = 0; i < 12; i++) {
            String image = birds.get(i % 2) + "/bird_" + i + ".jpg";
            Path file = cub.resolve("images").resolve(image);
            Files.createDirectories(file.getParent());
            SmallImages.draw(file, i % 2 == 0 ? "rows" : "columns", i);
            images.add(i + 1 + " " + image);
            labels.add(i + 1 + " " + (i % 2 == 0 ? 4 : 9));
            training.add(i + 1 + " " + (i < 8 ? 1 : 0));
        }
        Files.write(cub.resolve("classes.txt"), List.of("4 " + birds.get(0), "9 " + birds.get(1)));
        Files.write(cub.resolve("images.txt"), images);
        Files.write(cub.resolve("image_class_labels.txt"), labels);
        Files.write(cub.resolve("train_test_split.txt"), training);
        weights = folder.resolve("vgg16.safetensors");
        // Without its fully connected layers, which are nine tenths of it.
        BackboneConfig convolutions = new BackboneConfig(Architecture.VGG16, Variant.TORCHVISION, 0);
        WeightsFile.writeRandom(weights, convolutions, new Seed(1));
    }

    @Test
    void every_row_of_the_papers_table_goes_through_its_stages() throws IOException {
        List<String> names = Grid.read(GRID).methods().entrySet().stream()
                .filter(method -> !method.getValue().recipe().toString().contains("fc7"))
                .map(method -> method.getKey())
                .toList();
        Path out = folder.resolve("results");
        JsonNode outcome =
                experiment(out, "--only", String.join(",", names), "--datasets", "cub", "--rehearse", "--json");
        assertThat(outcome.path("failed").properties()).isEmpty();
        assertThat(outcome.path("done").asInt()).isEqualTo(names.size());
        for (String name : names) {
            JsonNode result = new ObjectMapper()
                    .readTree(out.resolve("cub/" + name + "/s1-r1.json").toFile());
            assertThat(result.path("grid").asText()).isEqualTo("paper-table1-rehearsal");
            assertThat(result.path("predicted")).hasSize(4);
            assertThat(result.path("seconds").has("stage1")).as(name).isTrue();
            // Fisher vectors are features and a classifier; all others learn with the backbone.
            assertThat(result.path("seconds").has("stage2")).as(name).isEqualTo(!name.startsWith("fv-"));
        }
    }

    private static JsonNode experiment(Path out, Object... more) throws IOException {
        List<Object> words = new ArrayList<>(List.of("experiment", GRID, "--data", folder.resolve("data")));
        words.addAll(List.of("--backbone", weights, "--out", out, "--splits", 1, "--seeds", 1));
        words.addAll(List.of(more));
        return gramian(words.toArray()).json();
    }
}
