package io.github.gramian.lab.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.lab.grid.RunResult.ImageList;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grids of trainings that take a second each, on drawn textures with random weights. */
class ExperimentTest {

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init") // drawn before all tests
    private static SmallRuns small;

    @BeforeAll
    static void draw() throws IOException {
        small = SmallRuns.in(folder);
    }

    private static Grid grid(String methods) throws IOException {
        Path file = Files.createTempFile(folder, "grid", ".yaml");
        Files.writeString(file, """
                name: small
                title: A small grid
                datasets:
                  drawn: {images: images/manifest.csv, splits: [1], seeds: [1, 2]}
                common:
                  data: {validation: 0.25}
                  backbone: {precision: float}
                  views: {margin: 1, test: centre}
                  network: {branches: [{tap: res5b, size: 48, convolution: 8, rectify: true}]}
                  stage1: {epochs: 0}
                methods:
                """ + methods.indent(2));
        return Grid.read(file);
    }

    private static Grid twoMethods() throws IOException {
        return grid("""
                average: {label: Average pooling, recipe: {network: {branches: [{convolution: 0, aggregator: average}]}}}
                kernel: {label: RBF kernel, recipe: {stage1: {epochs: 2, batch: 6}}}
                """);
    }

    private static Grid averageWithMargin(double margin) throws IOException {
        return grid("average: {recipe: {views: {margin: " + margin
                + "}, network: {branches: [{convolution: 0, aggregator: average}]}}}");
    }

    private static List<Grid.Run> runs(Grid grid) {
        return grid.runs(folder, small.weights().toString(), List.of());
    }

    private static Experiment.Options into(String name) {
        return into(name, false, false, line -> {}, () -> false, event -> {});
    }

    private static Experiment.Options into(
            String name,
            boolean keep,
            boolean redo,
            Consumer<String> log,
            BooleanSupplier stop,
            TrainingListener training) {
        ResultFolder results = new ResultFolder(folder.resolve(name));
        return new Experiment.Options(results, small.cache(), keep, redo, Duration.ZERO, stop, log, training);
    }

    private static Experiment.Summary run(List<Grid.Run> runs, Experiment.Options options) throws IOException {
        return Experiment.run(runs, null, options);
    }

    private static List<String> files(String name) throws IOException {
        Path results = folder.resolve(name);
        try (Stream<Path> walk = Files.walk(results)) {
            return walk.filter(Files::isRegularFile)
                    .map(file -> results.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void every_run_leaves_one_small_file_and_the_images_are_listed_once() throws IOException {
        Experiment.Summary summary = run(runs(twoMethods()), into("complete"));
        assertThat(summary.failed()).isEmpty();
        assertThat(summary.done()).isEqualTo(4);
        assertThat(files("complete"))
                .containsExactly(
                        "drawn/average/s1-r1.json",
                        "drawn/average/s1-r2.json",
                        "drawn/images-s1-r1.json",
                        "drawn/kernel/s1-r1.json",
                        "drawn/kernel/s1-r2.json");
        Path file = folder.resolve("complete/drawn/kernel/s1-r2.json");
        assertThat(Files.readString(file)).doesNotContain(folder.toString()).hasSizeLessThan(8_000);
        RunResult result = RunResult.read(file);
        assertThat(result.cell().label()).isEqualTo("RBF kernel");
        assertThat(result.cell().seed()).isEqualTo(2);
        assertThat(result.passport().seed()).isEqualTo(2);
        assertThat(result.footprint().descriptorLength()).isEqualTo(36);
        // 64·8 of the convolution and its 8 biases, 36·3 of the classifier and its 3
        assertThat(result.footprint().trainable()).isEqualTo(64 * 8 + 8 + 36 * 3 + 3);
        assertThat(result.footprint().seconds()).containsKeys("stage1", "classifier", "total");
        assertThat(result.footprint().modelBytes()).isGreaterThan(500_000);
        ImageList images = ImageList.read(folder.resolve("complete/drawn/images-s1-r1.json"));
        assertThat(images.sha256()).isEqualTo(result.answers().images());
        assertThat(images.ids())
                .hasSize(SmallRuns.CLASSES.size() * SmallRuns.TEST)
                .isSorted();
        long right = 0;
        for (int i = 0; i < images.ids().size(); i++) {
            right += images.truths().get(i).equals(result.answers().predicted().get(i)) ? 1 : 0;
        }
        assertThat(result.accuracy()).isEqualTo((double) right / images.ids().size());
    }

    @Test
    void a_split_is_complete_before_the_next_begins() throws IOException {
        assertThat(runs(twoMethods()).stream().map(Grid.Run::place))
                .containsExactly(
                        "drawn/average/s1-r1", "drawn/kernel/s1-r1", "drawn/average/s1-r2", "drawn/kernel/s1-r2");
    }

    @Test
    void a_stopped_grid_continues_and_ends_with_the_results_of_an_uninterrupted_one() throws IOException {
        List<Grid.Run> runs = runs(twoMethods());
        run(runs, into("unbroken"));
        AtomicInteger steps = new AtomicInteger(); // of the second run: the first is only fitted
        TrainingListener count = event -> steps.addAndGet(event instanceof TrainingEvent.Step ? 1 : 0);
        Experiment.Summary stopped =
                run(runs, into("stopped", false, false, line -> {}, () -> steps.get() >= 2, count));
        assertThat(stopped.stopped()).isTrue();
        assertThat(stopped.done()).isEqualTo(1);
        assertThat(folder.resolve("stopped/runs/drawn/kernel/s1-r1/checkpoints"))
                .isDirectory();
        assertThat(folder.resolve("stopped/runs/drawn/kernel/s1-r1/seconds.json"))
                .exists();

        List<String> lines = new ArrayList<>();
        Experiment.Summary rest = run(runs, into("stopped", false, false, lines::add, () -> false, event -> {}));
        assertThat(rest.stopped()).isFalse();
        assertThat(rest.done()).isEqualTo(4);
        assertThat(lines.get(0)).isEqualTo("3 runs to do, 1 done before");
        assertThat(lines.get(1)).startsWith("run 1 of 3, ").contains("left: drawn/");
        assertThat(files("stopped")).isEqualTo(files("unbroken"));
        for (Grid.Run run : runs) {
            RunResult one = RunResult.read(folder.resolve("unbroken").resolve(run.place() + ".json"));
            RunResult other = RunResult.read(folder.resolve("stopped").resolve(run.place() + ".json"));
            assertThat(other.answers().predicted()).isEqualTo(one.answers().predicted());
            assertThat(other.measured().scores()).isEqualTo(one.measured().scores());
        }
    }

    @Test
    void what_has_a_result_is_not_run_again() throws IOException {
        List<Grid.Run> runs =
                runs(grid("average: {recipe: {network: {branches: [{convolution: 0, aggregator: average}]}}}"));
        run(runs, into("twice"));
        List<String> lines = new ArrayList<>();
        Experiment.Summary second = run(runs, into("twice", false, false, lines::add, () -> false, event -> {}));
        assertThat(lines).containsExactly("0 runs to do, 2 done before");
        assertThat(second.done()).isEqualTo(2);
    }

    @Test
    void a_result_of_another_recipe_is_refused_before_anything_runs_or_replaced_on_request() throws IOException {
        run(runs(averageWithMargin(1)), into("changed"));
        List<Grid.Run> other = runs(averageWithMargin(1.2));
        assertThatThrownBy(() -> run(other, into("changed")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("s1-r1.json", "a recipe that differs", "--redo");
        run(other, into("changed", false, true, line -> {}, () -> false, event -> {}));
        assertThat(RunResult.read(folder.resolve("changed/drawn/average/s1-r1.json"))
                        .recipe()
                        .path("views")
                        .path("margin")
                        .asDouble())
                .isEqualTo(1.2);
    }

    @Test
    void a_run_that_fails_is_recorded_and_the_others_continue() throws IOException {
        List<Grid.Run> runs = runs(grid("""
                wrong: {recipe: {network: {branches: [{tap: res9z}]}}}
                average: {recipe: {network: {branches: [{convolution: 0, aggregator: average}]}}}
                """));
        Experiment.Summary summary = run(runs, into("failing"));
        assertThat(summary.done()).isEqualTo(2);
        assertThat(summary.failed()).hasSize(2);
        assertThat(summary.failed().values()).allMatch(message -> message.contains("res9z"));
        assertThat(folder.resolve("failing/drawn/wrong/s1-r1.failed.txt"))
                .content()
                .contains("res9z");
        assertThat(folder.resolve("failing/runs")).doesNotExist();
    }

    @Test
    void a_run_that_was_killed_between_its_scores_and_its_result_is_not_evaluated_again() throws IOException {
        List<Grid.Run> runs = runs(grid(
                        "average: {recipe: {network: {branches: [{convolution: 0, aggregator: average}]}}}"))
                .subList(0, 1);
        run(runs, into("killed", true, false, line -> {}, () -> false, event -> {}));
        Path result = folder.resolve("killed/drawn/average/s1-r1.json");
        RunResult before = RunResult.read(result);
        Path model = folder.resolve("killed/runs/drawn/average/s1-r1/model.gramian");
        var written = Files.getLastModifiedTime(model);
        Files.delete(result);
        run(runs, into("killed", true, false, line -> {}, () -> false, event -> {}));
        assertThat(Files.getLastModifiedTime(model)).isEqualTo(written);
        assertThat(RunResult.read(result).answers().predicted())
                .isEqualTo(before.answers().predicted());
    }
}
