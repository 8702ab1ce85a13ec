package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Evaluation;
import io.github.gramian.run.Run;
import io.github.gramian.search.Search;
import io.github.gramian.search.SearchOptions;
import io.github.gramian.train.Training;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Search, evaluation and datasets in memory, as in docs/java.md, on drawn textures. */
class SearchAndEvaluateTest {

    private static final String SPACE = """
            name: small
            common:
              stage1: {epochs: 0}
              data: {validation: 0.25}
              backbone: {precision: float}
              views: {margin: 1}
            inputs:
              near: {label: 48 px, branches: [{tap: last, size: 48}]}
            heads:
              average: {label: Average, branches: [{convolution: 0, aggregator: average, descriptor: {powerEpsilon: -1}}]}
              kernel: {label: Kernel, branches: [{convolution: 8, aggregator: spd}]}
            """;

    @TempDir
    Path folder;

    @Test
    void a_search_finds_a_recipe_and_trains_it() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Path space = Files.writeString(folder.resolve("space.yaml"), SPACE);
        String printed = Printed.of(() -> search(drawn.images(), drawn.weights(), space));
        assertThat(printed).containsPattern("(average|kernel)@near, fold accuracy [01][.]");
        assertThat(folder.resolve("runs/best/model.gramian")).exists();
    }

    private void search(Path photos, Path weights, Path space) throws IOException {
        Search.Result found = Search.of(photos, weights)
                .with(SearchOptions.within(Duration.ofMinutes(15)).in(space))
                .with("seed", 2)
                .into(folder.resolve("runs/best"));
        System.out.println(found.candidate() + ", fold accuracy " + found.foldAccuracy());
        assertThat(found.recipe().seed()).isEqualTo(2);
    }

    @Test
    void a_dataset_in_memory_is_trained_on_and_evaluated() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Map<Path, String> labels = new HashMap<>();
        for (String kind : SmallRuns.CLASSES) {
            try (Stream<Path> files = Files.list(drawn.images().resolve(kind))) {
                files.forEach(file -> labels.put(file, kind));
            }
        }
        Recipe small = drawn.recipe("stage1.epochs=0").with("data.images", "''");
        String printed = Printed.of(() -> trainAndEvaluate(small, labels));
        assertThat(printed).containsPattern("[01][.][0-9]+ on [0-9]+ images");
    }

    private void trainAndEvaluate(Recipe standard, Map<Path, String> labels) throws IOException {
        Dataset images = Dataset.of(labels, 1); // file → name of its class; a random 80 % of each class for training
        Recipe recipe = standard.with("stage1.epochs", 1).withSeed(7);
        Run run = Training.of(recipe).on(images).into(folder.resolve("runs/memory"));

        Evaluation.Result result = Evaluation.of(run.model()).on(images); // the test images
        System.out.println(result.scores().accuracy() + " on " + result.scores().images() + " images");
        result.warnings().forEach(System.out::println);
        assertThat(result.scores().confusion()).isEqualTo(run.scores().confusion());
        assertThat(result.protocol().dataset()).isEqualTo("list");
        assertThat(List.of(result.rejected().size(), result.warnings().size())).containsOnly(0);
    }
}
