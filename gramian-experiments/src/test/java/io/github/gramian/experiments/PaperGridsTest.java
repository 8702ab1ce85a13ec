package io.github.gramian.experiments;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.check.FullForm;
import io.github.gramian.experiments.grid.Grid;
import io.github.gramian.experiments.grid.GridFile;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The paper's setting from end to end: its grids, rehearsed with VGG-16 of random weights on small trees. */
@Tag("slow")
class PaperGridsTest {

    private static final Path GRIDS = Path.of("../grids");
    private static final boolean FULL = FullForm.isOn();

    @TempDir
    static Path folder;

    private static Path weights = Path.of("");

    @BeforeAll
    static void draw() throws IOException {
        assumeTrue(Files.isDirectory(GRIDS));
        OfficialTrees.in(folder.resolve("data"));
        weights = folder.resolve("vgg16.safetensors");
        // Without its fully connected layers, which are nine tenths of it.
        BackboneConfig convolutions = new BackboneConfig(Architecture.VGG16, Variant.TORCHVISION, 0);
        WeightsFile.writeRandom(weights, convolutions, new Seed(1));
    }

    /** Rehearses a part of a grid, and checks that all of it has results. */
    private static Path rehearsed(String grid, Path backbone, List<String> only, Object... more) throws IOException {
        Path out = folder.resolve(grid + "-" + only.hashCode());
        Object[] words = {
            "experiment",
            GRIDS.resolve(grid + ".yaml"),
            "--data",
            folder.resolve("data"),
            "--backbone",
            backbone,
            "--out",
            out,
            "--cache",
            folder.resolve("features"),
            "--only",
            String.join(",", only),
            "--splits",
            1,
            "--seeds",
            1,
            "--rehearse",
            "--json"
        };
        Object[] all = new Object[words.length + more.length];
        System.arraycopy(words, 0, all, 0, words.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        JsonNode outcome = gramian(all).json();
        assertThat(outcome.path("failed").properties()).isEmpty();
        assertThat(outcome.path("done").asInt())
                .isPositive()
                .isEqualTo(outcome.path("all").asInt());
        return out;
    }

    private static List<String> methods(String grid, Predicate<Grid.Method> wanted) throws IOException {
        return GridFile.read(GRIDS.resolve(grid + ".yaml")).methods().entrySet().stream()
                .filter(method -> wanted.test(method.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static boolean usesFullyConnectedLayers(Grid.Method method) {
        return method.recipe().toString().contains("fc7");
    }

    private static JsonNode result(Path out, String place) throws IOException {
        return new ObjectMapper().readTree(out.resolve(place + "/s1-r1.json").toFile());
    }

    /** The tables that are gone through: one, or with -Dgramian.test.full=true both. */
    static Stream<String> tables() {
        return Stream.of("paper-table1", "paper-table2").limit(FULL ? 2 : 1);
    }

    @ParameterizedTest
    @MethodSource("tables")
    void every_row_of_the_papers_tables_goes_through_its_stages(String grid) throws IOException {
        List<String> names = methods(grid, method -> !usesFullyConnectedLayers(method));
        Path out = rehearsed(grid, weights, names, "--datasets", "cub");
        for (String name : names) {
            JsonNode result = result(out, "cub/" + name);
            assertThat(result.path("grid").asText()).isEqualTo(grid + "-rehearsal");
            assertThat(result.path("predicted")).hasSize(4);
            assertThat(result.path("seconds").has("stage1")).as(name).isTrue();
            // Fisher vectors are features and a classifier; all others learn with the backbone.
            assertThat(result.path("seconds").has("stage2")).as(name).isEqualTo(!name.startsWith("fv-"));
        }
    }

    /** Only in stage 1, which is where their layers differ; the first few, or with -Dgramian.test.full=true all of them. */
    @Test
    void every_row_that_the_paper_leaves_out_learns() throws IOException {
        List<String> names = methods("paper-ablation", method -> true).stream()
                .limit(FULL ? Long.MAX_VALUE : 3)
                .toList();
        Path out = rehearsed("paper-ablation", weights, names, "--datasets", "cub", "--set", "stage2.epochs=0");
        for (String name : names) {
            JsonNode result = result(out, "cub/" + name);
            assertThat(result.path("predicted")).as(name).hasSize(4);
            assertThat(result.path("seconds").has("stage1")).as(name).isTrue();
        }
    }

    @Tag("long")
    @Test
    void the_papers_network_runs_on_all_five_datasets_under_its_protocols() throws IOException {
        Path out = rehearsed("paper-table1", weights, List.of("paper"));
        Map<String, Integer> tested = Map.of("dtd", 2, "fmd", 2, "kth-tips-2b", 12, "cub", 4, "aircraft", 4);
        for (Map.Entry<String, Integer> dataset : tested.entrySet()) {
            JsonNode result = result(out, dataset.getKey() + "/paper");
            assertThat(result.path("predicted")).as(dataset.getKey()).hasSize(dataset.getValue());
            JsonNode protocol = result.path("passport");
            assertThat(protocol.path("protocol").asText()).startsWith("paper");
            assertThat(protocol.path("crops").asText())
                    .contains(List.of("cub", "aircraft").contains(dataset.getKey()) ? "test whole" : "test five");
        }
        assertThat(gramian("tables", out).succeeded().out())
                .contains("## kth-tips-2b", "The paper's network", "the paper's network 81.1");
    }

    /** Needs half a gigabyte of random weights: only with -Dgramian.test.full=true. */
    @Tag("long")
    @Test
    void methods_on_fully_connected_layers_run_on_the_whole_vgg16() throws IOException {
        assumeTrue(FULL);
        Path whole = folder.resolve("whole.safetensors");
        gramian("weights", "random", "--as", "vgg16", "--out", whole).succeeded();
        List<String> names = methods("paper-table1", PaperGridsTest::usesFullyConnectedLayers);
        assertThat(names).containsExactly("fv-fc-cnn", "vgg-16");
        Path out = rehearsed("paper-table1", whole, names, "--datasets", "cub");
        assertThat(result(out, "cub/vgg-16").path("descriptorLength").asInt()).isEqualTo(4096);
        assertThat(result(out, "cub/fv-fc-cnn").path("descriptorLength").asInt())
                .isEqualTo(2 * 2 * 16 + 4096);
    }

    @Test
    void settings_apply_to_every_run_of_a_grid() {
        gramian(
                        "experiment",
                        GRIDS.resolve("paper-table1.yaml"),
                        "--data",
                        folder,
                        "--backbone",
                        weights,
                        "--out",
                        folder.resolve("nothing"),
                        "--dry-run",
                        "--set",
                        "stage1.epoch=3")
                .refused(2, "stage1.epoch", "epochs");
    }
}
