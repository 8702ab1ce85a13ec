package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run can only be resumed with the images and the weights that it was started with. */
class ChangedInputsTest {

    @TempDir
    Path folder;

    private SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeEach
    void stop_a_run() throws IOException {
        runs = SmallRuns.in(folder);
        assertThatThrownBy(() -> runs.run(runs.recipe(), "run", runs.stoppingAfter(1)))
                .isInstanceOf(TrainingStopped.class);
    }

    private void assertRefused(String... words) {
        assertThatThrownBy(() -> runs.run(runs.recipe(), "run"))
                .isInstanceOf(TrainingException.class)
                .hasMessageContainingAll(words)
                .hasMessageContaining("--out");
    }

    @Test
    void an_image_with_another_content_is_named() throws IOException {
        SmallImages.draw(runs.images().resolve("rows/1.png"), "columns", 99);
        assertRefused("rows/1.png has different content");
    }

    @Test
    void images_that_were_added_or_removed_or_moved_to_another_split_are_named() throws IOException {
        SmallImages.draw(runs.images().resolve("rows/new.png"), "rows", 98);
        String manifest = Files.readString(runs.manifest());
        Files.writeString(
                runs.manifest(),
                manifest.replace("rows/2.png,rows,train\n", "")
                                .replace("checks/8.png,checks,test", "checks/8.png,checks,train")
                        + "rows/new.png,rows,test\n");
        assertRefused("rows/new.png is new", "rows/2.png is gone", "checks/8.png is used for another split");
    }

    @Test
    void an_image_that_was_renamed_is_named_twice() throws IOException {
        Files.move(runs.images().resolve("rows/2.png"), runs.images().resolve("rows/renamed.png"));
        Files.writeString(runs.manifest(), Files.readString(runs.manifest()).replace("rows/2.png", "rows/renamed.png"));
        assertRefused("rows/renamed.png is new", "rows/2.png is gone");
    }

    /** The run continues, since only rounding may differ; a note and its scores report that. */
    @Test
    void another_number_of_threads_is_noted() throws IOException {
        int threads = Engine.describe().threads();
        List<TrainingEvent> events = new ArrayList<>();
        Engine.useThreads(threads + 1);
        try {
            runs.run(
                    runs.recipe(), "run", TrainingOptions.defaults(runs.cache()).withListener(events::add));
        } finally {
            Engine.useThreads(threads);
        }
        assertThat(events)
                .filteredOn(TrainingEvent.Note.class::isInstance)
                .extracting(Object::toString)
                .anySatisfy(note -> assertThat(note)
                        .contains("different arithmetic", ", " + threads + " threads, ", "; then ", "rounding"));
        assertThat(new RunFolder(runs.path("run")).scores()).content().contains("different arithmetic");
    }

    @Test
    void nothing_is_noted_where_nothing_changed() throws IOException {
        List<TrainingEvent> events = new ArrayList<>();
        runs.run(runs.recipe(), "run", TrainingOptions.defaults(runs.cache()).withListener(events::add));
        assertThat(events).isNotEmpty().noneMatch(event -> event.toString().contains("arithmetic"));
        assertThat(new RunFolder(runs.path("run")).scores()).content().doesNotContain("arithmetic");
    }

    @Test
    void other_weights_are_noticed_before_features_are_computed() throws IOException {
        WeightsFile.writeRandom(
                runs.weights(), new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0), new Seed(2));
        assertThatThrownBy(() -> runs.run(
                        runs.recipe(),
                        "run",
                        TrainingOptions.defaults(runs.cache())
                                .withListener(
                                        event -> assertThat(event).isNotInstanceOf(TrainingEvent.Features.class))))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("the backbone's weights are others");
    }

    @Test
    void checkpoints_know_the_hashes_where_the_list_of_inputs_is_lost() throws IOException {
        SmallImages.draw(runs.images().resolve("rows/1.png"), "columns", 99);
        Files.delete(new RunFolder(runs.path("run")).inputs());
        assertRefused("stage1-last", "images have changed");
    }

    @Test
    void a_run_without_checkpoints_may_change_its_inputs() throws IOException {
        Path checkpoints = new RunFolder(runs.path("run")).last(1).getParent();
        for (int stage = 1; stage <= 2; stage++) {
            Files.deleteIfExists(new RunFolder(runs.path("run")).last(stage));
            Files.deleteIfExists(new RunFolder(runs.path("run")).best(stage));
        }
        assertThat(checkpoints).isEmptyDirectory();
        SmallImages.draw(runs.images().resolve("rows/1.png"), "columns", 99);
        runs.run(runs.recipe(), "run");
        SmallImages.draw(runs.images().resolve("rows/1.png"), "columns", 97);
        assertRefused("rows/1.png has different content");
    }
}
