package io.github.gramian.lab.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.lab.grid.RunResult.ImageList;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grids that evaluate their models on corrupted images, on drawn textures with random weights. */
class RobustnessExperimentTest {

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init") // drawn before all tests
    private static SmallRuns small;

    @BeforeAll
    static void draw() throws IOException {
        small = SmallRuns.in(folder);
    }

    private static Grid grid(String robustness, String kernel) throws IOException {
        Path file = Files.createTempFile(folder, "grid", ".yaml");
        Files.writeString(file, """
                name: robust
                datasets:
                  drawn: {images: images/manifest.csv, splits: [1], seeds: [1]}
                common:
                  data: {validation: 0.25}
                  backbone: {precision: float}
                  views: {margin: 1, test: centre}
                  network: {branches: [{tap: res5b, size: 48, convolution: 8, rectify: true}]}
                  stage1: {epochs: 0}
                robustness: %s
                methods:
                  average: {recipe: {network: {branches: [{convolution: 0, aggregator: average}]}}}
                  kernel: {recipe: {%s}}
                """.formatted(robustness, kernel));
        return Grid.read(file);
    }

    private static List<Grid.Run> runs(Grid grid) {
        return grid.runs(folder, small.weights().toString(), List.of());
    }

    private static Experiment.Options into(String name, boolean keep, Consumer<String> log, BooleanSupplier stop) {
        ResultFolder results = new ResultFolder(folder.resolve(name));
        return new Experiment.Options(
                results, small.cache(), keep, false, Duration.ofMinutes(1), stop, log, event -> {});
    }

    @Test
    void all_models_are_evaluated_on_the_same_corrupted_images_as_a_single_model_would_be() throws IOException {
        Grid grid = grid("{corruptions: [gaussian_noise, contrast], severities: [2, 5], images: 5}", "");
        Experiment.Options options = into("shared", true, line -> {}, () -> false);
        assertThat(Experiment.run(runs(grid), grid.robustness(), options).failed())
                .isEmpty();
        for (Grid.Run run : runs(grid)) {
            RobustnessResult result = RobustnessResult.read(options.results().robustness(run));
            ImageList images = ImageList.find(folder.resolve("shared/drawn"), result.images())
                    .orElseThrow();
            assertThat(images.ids()).hasSize(5);
            assertThat(result.corruptions()).hasSize(4);
            RobustnessResult.Corrupted third = result.corruptions().get(2);
            assertThat(third.name()).isEqualTo("contrast");
            assertThat(third.severity()).isEqualTo(2);
            assertThat(third.correct())
                    .isEqualTo(alone(
                            new RunFolder(options.results().training(run)).model(),
                            images,
                            new Corruption(CorruptionType.CONTRAST, 2)));
        }
    }

    /** Which images a model recognises without the grid. */
    private static String alone(Path model, ImageList images, Corruption corruption) throws IOException {
        List<Path> files = images.ids().stream()
                .map(id -> folder.resolve("images").resolve(id))
                .toList();
        List<Prediction> answers = new ArrayList<>();
        try (BatchPredictor predictor = BatchPredictor.load(model);
                BatchPredictor corrupting = predictor.withCorruption(null, corruption)) {
            corrupting.predict(files, LoaderSettings.defaults(4), answers::add);
        }
        return RobustnessResult.correct(
                images.truths(),
                answers.stream().mapToInt(Prediction::predicted).toArray());
    }

    @Test
    void a_stopped_evaluation_continues_and_models_are_deleted_at_the_end() throws IOException {
        Grid grid = grid("{corruptions: fog, severities: [1, 3]}", "");
        AtomicInteger corruptions = new AtomicInteger();
        Consumer<String> count = line -> corruptions.addAndGet(line.startsWith("corruption") ? 1 : 0);
        Experiment.Summary stopped = Experiment.run(
                runs(grid), grid.robustness(), into("stopped", false, count, () -> corruptions.get() > 0));
        Experiment.Options options = into("stopped", false, count, () -> false);
        assertThat(stopped.stopped()).isTrue();
        assertThat(corruptions).hasValue(1);
        assertThat(Experiment.run(runs(grid), grid.robustness(), options).stopped())
                .isFalse();
        assertThat(corruptions).hasValue(2);
        assertThat(folder.resolve("stopped/runs")).doesNotExist();
        assertThat(Experiment.run(runs(grid), grid.robustness(), options).done())
                .isEqualTo(2);
        assertThat(corruptions).hasValue(2);
    }

    @Test
    void incorrect_sections_are_refused_with_advice() throws IOException {
        assertThatThrownBy(() -> grid("{corruptions: frost}", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown corruption 'frost'");
        assertThatThrownBy(() -> grid("{severity: [1]}", "")).hasMessageContaining("severities");
        Grid tuned = grid("{corruptions: fog}", "stage2: {epochs: 1, trainFrom: res5b}");
        assertThatThrownBy(() ->
                        Experiment.run(runs(tuned), tuned.robustness(), into("tuned", false, line -> {}, () -> false)))
                .hasMessageContaining("method 'kernel' trains its backbone");
    }
}
