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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Inputs that are refused or left out before training. */
class TrainingRefusalTest {

    @TempDir
    private Path own;

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "stage2.trainFrom=res9z | has no layer 'res9z'",
                "network.branches.0.tap=res3b | 'res5a' comes after res3b",
                "network.branches.0.aggregator.transforms.0.outputDim=600 | outputDim must lie in 1..",
                "network.branches.0.aggregator.transforms.0.activation={kind: reeig, epsilon: -1} | ",
                "network.branches.0.aggregator={kind: vlad, centres: 60000, intraNormalisation: true} | a codebook of 60000",
                "network.branches.0.aggregator={kind: custom, name: nobody, settings: {}} | nobody",
                "network.branches.0.descriptor.powerEpsilon=NaN | ",
                "views={margin: 0, training: five, test: whole} | does not fit",
                "stage2.batch=99999 | a batch of 99999 images",
                "views.test=random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000+random:1000 | views of",
                "stage1.momentum=1.5 | momentum must lie in",
                "stage2.weightDecay=-1 | weightDecay must lie in",
                "stage2.labelSmoothing=1 | labelSmoothing must lie in",
                "stage2.rates.backbone=-1 | rates must be 0 or more",
                "stage2.rates.backboneClip=0 | clips of rates must be positive",
                "stage2.rates.layerDecay=0 | layerDecay must lie in (0, 1]",
                "stage2.ema=1 | ema must be 0 for none or lie below 1",
                "views.augment=erase:2 | a probability lies in 0..1",
                "final=some | 'final' is 'some'",
            })
    void a_setting_that_would_fail_later_is_refused_first(String setting, String reason) {
        Path cache = own.resolve("features");
        Path run = own.resolve("run");
        assertThatThrownBy(() -> Training.of(
                                runs.recipe("stage2.epochs=1", "stage2.batch=16", "stage2.trainFrom=res5a", setting))
                        .with(TrainingOptions.defaults(cache))
                        .into(run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason == null ? "" : reason);
        assertThat(cache).doesNotExist();
        assertThat(run).doesNotExist();
    }
}
