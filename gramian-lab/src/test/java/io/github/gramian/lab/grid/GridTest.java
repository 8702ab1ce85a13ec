package io.github.gramian.lab.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridTest {

    private static final String GRID = """
            name: frozen
            title: Frozen
            datasets:
              dtd: {images: dtd, layout: dtd, splits: [1, 2]}
              cub: {images: cub20, seeds: [1, 2, 3], recipe: {data: {validation: 0.2}}}
            common: {stage1: {epochs: 0}, network: {branches: [{size: 128}]}}
            methods:
              average: {label: Average pooling, recipe: {network: {branches: [{aggregator: average}]}}}
              kernel: {recipe: {stage1: {epochs: 3}}, datasets: [dtd]}
            """;

    @TempDir
    Path folder;

    private Grid grid(String text) throws IOException {
        Path file = folder.resolve("grid.yaml");
        Files.writeString(file, text);
        return Grid.read(file);
    }

    private static List<Grid.Run> runs(Grid grid) {
        return grid.runs(Path.of("data"), "weights/r50.safetensors", List.of());
    }

    @Test
    void parts_of_recipes_lie_on_top_of_each_other() throws IOException {
        List<Grid.Run> runs = runs(grid(GRID));
        assertThat(runs.stream().map(Grid.Run::place))
                .containsExactly(
                        "dtd/average/s1-r1",
                        "dtd/kernel/s1-r1",
                        "dtd/average/s2-r1",
                        "dtd/kernel/s2-r1",
                        "cub/average/s1-r1",
                        "cub/average/s1-r2",
                        "cub/average/s1-r3");
        Grid.Run kernel = runs.get(3);
        assertThat(kernel.cell().label()).isEqualTo("kernel");
        assertThat(kernel.recipe().stage1().batches().epochs()).isEqualTo(3);
        assertThat(kernel.recipe().network().branches().get(0).size()).isEqualTo(128);
        assertThat(kernel.recipe().data().split()).isEqualTo(2);
        assertThat(Path.of(kernel.recipe().data().images())).isEqualTo(Path.of("data", "dtd"));
        assertThat(kernel.portableRecipe().data().images()).isEqualTo("dtd");
        assertThat(kernel.portableRecipe().backbone().weights()).isEqualTo("r50.safetensors");
        Grid.Run cub = runs.get(6);
        assertThat(cub.recipe().seed()).isEqualTo(3);
        assertThat(cub.recipe().data().validation()).isEqualTo(0.2);
        assertThat(cub.recipe().stage1().batches().epochs()).isZero();
    }

    @Test
    void settings_lie_on_top_of_all_recipes_but_never_move_a_run() throws IOException {
        List<Grid.Run> runs = grid(GRID)
                .runs(Path.of("data"), "r50.safetensors", List.of("stage1.epochs=7", "seed=9", "data.split=5"));
        assertThat(runs).allSatisfy(run -> {
            assertThat(run.recipe().stage1().batches().epochs()).isEqualTo(7);
            assertThat(run.recipe().seed()).isEqualTo(run.cell().seed());
            assertThat(run.recipe().data().split()).isEqualTo(run.cell().split());
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "name: frozen | name: ../up | becomes a directory",
                "title: Frozen | titel: Frozen | did you mean 'title'",
                "splits: [1, 2] | splits: [1, 1] | twice",
                "splits: [1, 2] | splits: [one] | whole numbers",
                "splits: [1, 2] | split: [1] | did you mean 'splits'",
                "images: dtd, | images: [], | 'images', a string",
                "datasets: [dtd] | datasets: [dtp] | names datasets",
                "datasets: [dtd] | datasets: {dtd: 1, cub: {}} | names such as [dtd]",
                "{stage1: {epochs: 3}} | 3 | part of a recipe",
                "name: frozen | nothing: else | unknown key 'nothing'",
            })
    void errors_in_a_grid_are_named(String right, String wrong, String message) {
        assertThat(GRID).contains(right);
        assertThatThrownBy(() -> grid(GRID.replace(right, wrong)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("grid.yaml", message);
    }

    @Test
    void a_grid_without_methods_or_of_another_shape_is_refused() {
        assertThatThrownBy(() -> grid("name: a\ndatasets: {}\nmethods: {}")).hasMessageContaining("at least one");
        assertThatThrownBy(() -> grid("name: a")).hasMessageContaining("needs datasets");
        assertThatThrownBy(() -> grid("- 1")).hasMessageContaining("keys and values");
        assertThatThrownBy(() -> grid("")).hasMessageContaining("keys and values");
    }

    @Test
    void every_grid_of_the_project_can_be_used() throws IOException {
        Path grids = Path.of("../grids");
        Assumptions.assumeTrue(Files.isDirectory(grids));
        try (Stream<Path> files = Files.list(grids)) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".yaml")).toList()) {
                List<Grid.Run> runs = runs(Grid.read(file));
                assertThat(runs).isNotEmpty();
                Set<String> rehearsed = new HashSet<>();
                runs.stream()
                        .filter(run -> rehearsed.add(
                                run.cell().dataset() + "/" + run.cell().method()))
                        .forEach(Grid.Run::rehearsal); // a smaller recipe is a valid one as well
            }
        }
    }

    @Test
    void the_papers_recipe_is_that_of_its_table() throws IOException {
        Path grids = Path.of("../grids");
        Assumptions.assumeTrue(Files.isDirectory(grids));
        Recipe row = runs(Grid.read(grids.resolve("paper-table1.yaml"))).stream()
                .filter(run -> run.place().equals("dtd/paper/s1-r1"))
                .findFirst()
                .orElseThrow()
                .recipe();
        Recipe alone = RecipeFile.read(
                Path.of("../recipes/paper.yaml"),
                List.of(
                        "data.images='" + row.data().images() + "'",
                        "data.layout=dtd",
                        "data.protocol=paper",
                        "backbone.weights='" + row.backbone().weights() + "'"));
        assertThat(RecipeFile.text(alone)).isEqualTo(RecipeFile.text(row));
    }
}
