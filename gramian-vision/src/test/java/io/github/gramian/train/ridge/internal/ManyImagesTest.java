package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** More images than the dual takes. Most are links to a few: features are found by content. */
@Tag("slow")
class ManyImagesTest {

    private static final int DRAWN = 8;

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void link_many_images() throws IOException {
        runs = SmallRuns.in(folder);
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        int copies = RidgeClassifier.Method.MAX_DUAL_ROWS / (SmallRuns.CLASSES.size() * DRAWN) + 1;
        for (String kind : SmallRuns.CLASSES) {
            for (int i = 0; i < DRAWN; i++) {
                for (int copy = 0; copy < copies; copy++) {
                    String name = kind + "/" + i + "-" + copy + ".png";
                    Files.createLink(runs.images().resolve(name), runs.images().resolve(kind + "/" + i + ".png"));
                    lines.add(name + "," + kind + ",train");
                }
            }
            lines.add(kind + "/" + DRAWN + ".png," + kind + ",test");
        }
        Files.write(runs.manifest(), lines);
    }

    private static Run train(String name, List<String> notes, String... settings) throws IOException {
        TrainingOptions options = TrainingOptions.defaults(folder.resolve("features-of-" + name))
                .withListener(event -> {
                    if (event instanceof TrainingEvent.Note note) {
                        notes.add(note.text());
                    } else if (event instanceof TrainingEvent.Features) {
                        notes.add("features");
                    }
                });
        return Training.of(runs.recipe(settings)).with(options).into(runs.path(name));
    }

    private static String classifier(Run run) throws IOException {
        return new JsonMapper()
                .readTree(new RunFolder(run.directory()).scores().toFile())
                .path("classifier")
                .asText();
    }

    @Test
    void moments_fit_them_and_a_note_reports_it_before_anything_is_computed() throws IOException {
        List<String> notes = new ArrayList<>();
        Run run = train("moments", notes, "stage1.epochs=0", "refit=best");
        assertThat(notes.get(0))
                .matches("the closed form for 12,024 images is solved from the moments of their \\d+ dimensions");
        assertThat(notes).contains("features");
        assertThat(classifier(run)).isEqualTo(notes.get(0));
        assertThat(run.model()).exists();
    }

    @Test
    void conjugate_gradients_fit_them_from_a_file_where_memory_is_short() throws IOException {
        List<String> notes = new ArrayList<>();
        Run run = train("gradients", notes, "stage1.epochs=0", "ridge.memoryBudget=1000", "ridge.lambdas=[0.1, 1]");
        assertThat(notes.get(0)).contains("is solved by conjugate gradients");
        assertThat(notes).anyMatch(note -> note.contains("descriptors go to a file in " + runs.path("gradients")));
        assertThat(classifier(run)).isEqualTo(notes.get(0));
        assertThat(run.model()).exists();
        try (Stream<Path> files = Files.list(runs.path("gradients"))) {
            assertThat(files.map(file -> file.getFileName().toString())).noneMatch(name -> name.endsWith(".tmp"));
        }
    }

    @Test
    void a_recipe_that_never_fits_has_no_such_note() throws IOException {
        List<String> notes = new ArrayList<>();
        Run run = train("softmax", notes, "stage1.epochs=1", "stage1.batch=512", "refit=never");
        assertThat(notes).noneMatch(note -> note.contains("closed form"));
        assertThat(classifier(run)).isEmpty();
    }

    @Test
    void a_disk_that_is_too_small_is_refused_before_anything_is_computed() {
        RidgeConfig config = RidgeConfig.defaults();
        ClassifierFit.Plan many = ClassifierFit.Plan.of(
                config, 2_000_000_000, 1_000_000_000, folder.resolve("not/yet/there"), Weights.NONE);
        assertThat(many.onDisk(config)).isTrue();
        assertThatThrownBy(() -> many.requireDiskSpace(config)).hasMessageContaining("MB left");
        assertThat(ClassifierFit.Plan.of(config, 12_000, 1_000_000_000, folder, Weights.NONE)
                        .onDisk(config))
                .as("the dual computes rows again")
                .isFalse();
    }
}
