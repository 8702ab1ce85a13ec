package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.run.Run;
import io.github.gramian.run.TrainingEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Inputs that are refused or left out before training. */
class TrainingRefusalTest {

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    @Test
    void a_run_of_another_recipe_is_not_written_over() throws IOException {
        runs.run(runs.recipe("stage1.epochs=0"), "taken");
        assertThatThrownBy(() -> runs.run(runs.recipe("stage1.epochs=0", "seed=3"), "taken"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("another recipe")
                .hasMessageContaining("gramian resume");
    }

    @Test
    void what_cannot_be_trained_is_refused_before_anything_is_written() {
        assertThatThrownBy(() -> runs.run(runs.recipe("backbone.weights="), "none"))
                .hasMessageContaining("--backbone");
        assertThatThrownBy(() -> runs.run(runs.recipe("data.images="), "none")).hasMessageContaining("--images");
        assertThatThrownBy(() -> runs.run(runs.recipe("network.branches.0.convolution=2"), "none"))
                .hasMessageContaining("transform.outputDim must lie in 1..2");
        assertThatThrownBy(() -> runs.recipe("stage2.epochs=3")).hasMessageContaining("stage2.trainFrom");
        assertThatThrownBy(() -> runs.recipe("stage1.trainFrom=res5a")).hasMessageContaining("stage2.trainFrom");
        assertThat(runs.path("none")).doesNotExist();
    }

    @Test
    void a_class_without_training_images_is_refused_with_its_name() throws IOException {
        Path empty = runs.images().resolve("empty.csv");
        Files.write(
                empty,
                List.of(
                        "path,label,split",
                        "rows/0.png,rows,train",
                        "rows/1.png,rows,test",
                        "columns/1.png,columns,test"));
        assertThatThrownBy(() -> runs.run(runs.recipe("data.images='" + empty + "'", "data.validation=0"), "empty"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("'columns'");
    }

    @Test
    void a_broken_image_is_left_out_and_named() throws IOException {
        Path broken = runs.images().resolve("rows/broken.png");
        Files.writeString(broken, "no picture");
        Path manifest = runs.images().resolve("with-broken.csv");
        List<String> lines = new ArrayList<>(Files.readAllLines(runs.manifest()));
        lines.add("rows/broken.png,rows,test");
        Files.write(manifest, lines);
        List<String> notes = new ArrayList<>();
        Run outcome = runs.run(
                runs.recipe("stage1.epochs=0", "data.images='" + manifest + "'"),
                "broken",
                TrainingOptions.defaults(runs.cache()).withListener(event -> {
                    if (event instanceof TrainingEvent.Note note) {
                        notes.add(note.text());
                    }
                }));
        assertThat(notes)
                .filteredOn(note -> note.contains("broken.png"))
                .singleElement()
                .asString()
                .startsWith("left out rows/broken.png: ");
        assertThat(outcome.scores().images()).isEqualTo(3 * SmallRuns.TEST);
    }
}
