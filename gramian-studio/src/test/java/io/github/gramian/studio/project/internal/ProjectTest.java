package io.github.gramian.studio.project.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Scores;
import io.github.gramian.label.internal.ReducedDescriptors;
import io.github.gramian.run.internal.ScoresFile;
import io.github.gramian.run.internal.SealedJson;
import io.github.gramian.studio.project.internal.RestPredictions.Row;
import io.github.gramian.studio.project.internal.TrainingJob.RunFolders;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Projects whose photographs nobody reads, with made-up descriptors. */
class ProjectTest {

    private static final int PHOTOGRAPHS = 60;
    private static final List<String> CLASSES = List.of("wren", "Auk", "jay");

    @TempDir
    Path folder;

    private StudioSettings settings() throws IOException {
        Path photographs = Files.createDirectories(folder.resolve("photos"));
        for (int i = 0; i < PHOTOGRAPHS; i++) {
            Files.writeString(photographs.resolve(String.format(Locale.ROOT, "%02d.png", i)), "image " + i);
        }
        return new StudioSettings(
                photographs,
                photographs.resolve("labels.csv"),
                "ada",
                List.of("backbone.weights='none.safetensors'"),
                folder.resolve("cache"),
                folder.resolve("out"));
    }

    /** Image i is of class i modulo their number. */
    private static ReducedDescriptors describe(Dataset dataset) {
        SplittableRandom random = new Seed(1).random();
        float[][] values = new float[dataset.samples().size()][8];
        for (int i = 0; i < values.length; i++) {
            for (int k = 0; k < 8; k++) {
                values[i][k] = (float) ((k == i % CLASSES.size() ? 1 : 0) + 0.3 * random.nextGaussian());
            }
        }
        return new ReducedDescriptors(dataset.samples(), values);
    }

    private static Project ready(StudioSettings settings) throws Exception {
        Project project = Project.open(settings, (dataset, recipe, cache, listener, compared) -> describe(dataset));
        await(() -> project.state().get("phase"), "ready");
        return project;
    }

    private static void await(Supplier<Object> value, Object wanted) throws Exception {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120); !wanted.equals(value.get()); ) {
            assertThat(System.nanoTime())
                    .as("%s instead of %s", value.get(), wanted)
                    .isLessThan(end);
            Thread.sleep(5);
        }
    }

    @Test
    void an_error_of_java_ends_the_work_with_a_message_and_other_work_can_start() throws Exception {
        try (Project project = Project.open(settings(), (dataset, recipe, cache, listener, compared) -> {
            throw new OutOfMemoryError("Java heap space");
        })) {
            await(() -> project.state().get("phase"), "failed");
            assertThat(String.valueOf(project.state().get("message"))).startsWith("Java does not have enough memory");
            TrainingJob job = project.training();
            for (Error error : List.of(new NoClassDefFoundError("org/example/Part"), new OutOfMemoryError("heap"))) {
                job.begin("training", () -> {
                    throw error;
                });
                await(() -> job.state().get("phase"), "failed");
                assertThat(String.valueOf(job.state().get("line"))).contains(String.valueOf(error.getMessage()));
            }
            job.begin("training", () -> {});
            await(() -> job.state().get("phase"), "done");
        }
    }

    @Test
    void a_restart_keeps_the_order_of_classes_the_curve_and_what_can_be_undone() throws Exception {
        StudioSettings settings = settings();
        Object classes;
        Object curve;
        try (Project project = ready(settings)) {
            for (int image = 0; image < 14; image++) {
                project.label(List.of(image), CLASSES.get(image % 3));
                project.guidance().accuracy();
            }
            classes = project.state().get("classes");
            curve = project.guidance().accuracy().get("curve");
        }
        try (Project project = ready(settings)) {
            assertThat(project.state().get("classes")).isEqualTo(classes);
            List<Object> again =
                    List.copyOf((List<?>) project.guidance().accuracy().get("curve"));
            assertThat(again).hasSize(5).isSubsetOf(List.<Object>copyOf((List<?>) curve));
            for (int image = 13; image >= 0; image--) {
                assertThat(project.undo()).containsEntry("images", List.of(image));
            }
            assertThat(project.state())
                    .containsEntry("labelled", 0)
                    .containsEntry("canUndo", false)
                    .containsEntry("changes", 14L);
        }
    }

    @Test
    void every_photograph_is_copied_whatever_its_name_and_class() throws IOException {
        Path photographs = Files.createDirectories(folder.resolve("photos/a"));
        List<String> paths = List.of("a/1.png", "a_1.png", "b.png", "c.png", "d.png");
        for (String path : paths) {
            Files.writeString(photographs.resolveSibling(path), path);
        }
        Photographs all = Photographs.in(folder.resolve("photos"), folder.resolve("photos"), note -> {});
        List<String> labels = List.of("Robin", "Robin", "robin", "a/b", "a:b");
        List<Row> rows = IntStream.range(0, paths.size())
                .mapToObj(i -> new Row(all.number(paths.get(i)), labels.get(i), 0.9, 1, ""))
                .toList();
        RestPredictions predictions = new RestPredictions(folder.resolve("run/predictions.csv"), rows);
        predictions.copy(all, at -> {});
        predictions.copy(all, at -> {});
        for (String copies : List.of("run/predicted", "run/predicted-2")) {
            try (Stream<Path> classes = Files.list(folder.resolve(copies))) {
                assertThat(classes.map(one -> one.getFileName().toString().toLowerCase(Locale.ROOT)))
                        .containsExactlyInAnyOrder("robin", "robin 2", "a_b", "a_b 2");
            }
            try (Stream<Path> files = Files.walk(folder.resolve(copies))) {
                assertThat(files.filter(Files::isRegularFile))
                        .map(Files::readString)
                        .hasSameElementsAs(paths);
            }
        }
        assertThat(predictions.summary(all))
                .containsEntry("counts", Map.of("Robin", 2L, "robin", 1L, "a/b", 1L, "a:b", 1L));
    }

    @Test
    void a_folder_that_takes_no_labels_file_is_refused_with_advice() throws IOException {
        StudioSettings settings = settings();
        Files.createDirectories(settings.labels().resolveSibling(".labels.csv.lock"));
        assertThatThrownBy(() -> Project.open(settings))
                .hasMessageContaining("labels cannot be written into " + settings.photographs())
                .hasMessageContaining("--labels");
    }

    private static final List<String> PATHS =
            List.of("part7-a.jpg", "part7-b.jpg", "part8-a.jpg", "other.jpg", "more.jpg");

    @Test
    void without_groups_each_photograph_stands_alone() {
        assertThat(Project.groups(PATHS, Map.of(), null)).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void a_pattern_names_the_object_of_a_path() {
        assertThat(Project.groups(PATHS, Map.of(), "(part[0-9]+)-")).containsExactly(0, 0, 1, 2, 3);
    }

    @Test
    void the_labels_file_comes_before_the_pattern() {
        Map<String, String> given = Map.of("part7-b.jpg", "lid", "other.jpg", "lid", "more.jpg", "");
        assertThat(Project.groups(PATHS, given, "(part[0-9]+)-")).containsExactly(0, 1, 2, 1, 3);
    }

    @Test
    void a_new_run_comes_after_all_others_even_if_one_was_deleted() throws IOException {
        RunFolders folders = new RunFolders(folder.resolve("runs"));
        assertThat(folders.free()).isEqualTo(folder.resolve("runs/run-1"));
        for (String name : new String[] {"run-2", "run-10", "run-010", "run-x", "other"}) {
            Files.createDirectories(folder.resolve("runs").resolve(name));
        }
        assertThat(folders.free()).isEqualTo(folder.resolve("runs/run-11"));
    }

    @Test
    void the_latest_run_is_found_after_a_deleted_one() throws IOException {
        complete("run-1");
        complete("run-3");
        Files.createDirectories(folder.resolve("run-5"));
        assertThat(new RunFolders(folder).latest())
                .hasValueSatisfying(run -> assertThat(run.directory()).isEqualTo(folder.resolve("run-3")));
    }

    /** The files of a finished run, of which only the scores are read. */
    private void complete(String name) throws IOException {
        Path run = Files.createDirectories(folder.resolve(name));
        Files.createFile(run.resolve("model.gramian"));
        Files.createFile(run.resolve("report.html"));
        List<String> classes = List.of("cat", "dog");
        List<Prediction> predictions = List.of(
                Prediction.of("a", classes, new float[] {0.7f, 0.3f}).withTruth(0),
                Prediction.of("b", classes, new float[] {0.6f, 0.4f}).withTruth(1));
        EvaluationProtocol protocol = EvaluationProtocol.ofData("dtd", "ab12", "p", "1", Map.of("test", 2));
        ScoresFile scores = new ScoresFile(
                Scores.of(predictions, classes, 7),
                "test",
                "/photos",
                JsonNodeFactory.instance.objectNode(),
                12,
                protocol,
                null);
        SealedJson.write(run.resolve("scores.json"), scores.toTree());
    }
}
