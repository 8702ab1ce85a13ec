package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.InvalidInputException;
import io.github.gramian.check.FullForm;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A training that is stopped anywhere and resumed is bit-identical to an uninterrupted one. */
class ResumeTest {

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void run_uninterrupted() throws IOException {
        runs = SmallRuns.in(folder);
        runs.run(first(), "first");
        runs.run(second(), "second");
        runs.run(onAll(), "on all");
        assertThat(runs.bestEpoch("first", 1)).isPositive();
        assertThat(runs.bestEpoch("second", 2)).isPositive();
    }

    /** Three epochs of three steps, two batches a step but for the last, and the closed-form classifier in the end. */
    private static Recipe first() {
        return runs.recipe(
                "stage1.epochs=3", "stage1.batch=4", "stage1.accumulate=2", "stage1.schedule=plateau", "refit=best");
    }

    /** One epoch of four steps, then two epochs of three through the last block of the backbone, with random views. */
    private static Recipe second() {
        return runs.recipe(
                "stage1.epochs=1",
                "stage2.epochs=2",
                "stage2.trainFrom=res5b",
                "stage2.schedule=cosine",
                "stage2.batch=8",
                "data.validation=0", // the last weights are the best
                "refit=best");
    }

    /**
     * One epoch of three steps, one of three through the backbone with all that regularises it, then both on all images: four
     * steps and three.
     */
    private static Recipe onAll() {
        return runs.recipe(
                "stage1.epochs=1",
                "stage1.keep=last",
                "stage2.epochs=1",
                "stage2.trainFrom=res5a",
                "stage2.batch=8",
                "stage2.rates.layerDecay=0.5",
                "stage2.ema=0.9",
                "stage2.mixup=0.4",
                "stage2.labelSmoothing=0.1",
                "views.augment=mirror:0.5+jitter:0.4:0.4:0.4:0.1+erase:0.5",
                "tuned=always",
                "final=all",
                "refit=best");
    }

    private static void stopAndGoOn(Recipe recipe, String name, int batches, String unbroken) throws IOException {
        assertThatThrownBy(() -> runs.run(recipe, name, runs.stoppingAfter(batches)))
                .isInstanceOf(TrainingStopped.class)
                .hasMessageContaining("gramian resume");
        assertThat(new RunFolder(runs.path(name)).scores()).doesNotExist();
        runs.run(recipe, name);
        assertThat(runs.weightsHash(name)).isEqualTo(runs.weightsHash(unbroken));
        assertThat(runs.events(name)).isEqualTo(runs.events(unbroken));
    }

    /** Every moment that differs with -Dgramian.test.full=true, the first of each kind otherwise. */
    private static IntStream moments(IntStream all, int... some) {
        return FullForm.isOn() ? all : IntStream.of(some);
    }

    /** Within a step, at the end of an epoch, after the last batch. */
    static IntStream momentsOfStage1() {
        return moments(IntStream.rangeClosed(1, 15), 1, 5, 15);
    }

    /** After the last batch of stage 1; in the second epoch of stage 2. */
    static IntStream momentsOfStage2() {
        return moments(IntStream.rangeClosed(4, 10), 4, 9);
    }

    /** After the last batch before the selection; in both stages on all images; after the last batch. */
    static IntStream momentsOnAll() {
        return moments(IntStream.rangeClosed(4, 13), 6, 8, 12);
    }

    @ParameterizedTest
    @MethodSource("momentsOnAll")
    void a_training_on_all_images_stopped_after_any_batch(int batches) throws IOException {
        stopAndGoOn(onAll(), "on all stopped at " + batches, batches, "on all");
    }

    @ParameterizedTest
    @MethodSource("momentsOfStage1")
    void stage_1_stopped_after_any_batch(int batches) throws IOException {
        stopAndGoOn(first(), "first stopped at " + batches, batches, "first");
    }

    @ParameterizedTest
    @MethodSource("momentsOfStage2")
    void stage_2_stopped_after_any_batch(int batches) throws IOException {
        stopAndGoOn(second(), "second stopped at " + batches, batches, "second");
    }

    @Test
    void a_run_that_is_stopped_after_every_step_still_finishes() throws IOException {
        int stops = 0;
        while (true) {
            try {
                runs.run(first(), "slow", runs.stoppingAfter(1));
                break;
            } catch (TrainingStopped e) {
                assertThat(e.run()).isEqualTo(runs.path("slow"));
                stops++;
            }
        }
        assertThat(stops).isEqualTo(9);
        assertThat(runs.weightsHash("slow")).isEqualTo(runs.weightsHash("first"));
        assertThat(runs.events("slow")).isEqualTo(runs.events("first"));
    }

    /** A training that was cancelled before it started: the first step must notice it. */
    private static void stopAtOnce(Recipe recipe, String name, Path cache) {
        TrainingOptions options = TrainingOptions.defaults(cache).stoppedBy(() -> true);
        assertThatThrownBy(() -> runs.run(recipe, name, options)).isInstanceOf(TrainingStopped.class);
    }

    @Test
    void cancellation_is_noticed_while_features_are_computed() throws IOException {
        Path cache = runs.path("separate features");
        AtomicBoolean stop = new AtomicBoolean();
        TrainingOptions options = TrainingOptions.defaults(cache)
                .stoppedBy(stop::get)
                .withListener(event -> stop.compareAndSet(false, event instanceof TrainingEvent.Features));
        assertThatThrownBy(() -> runs.run(first(), "featureless", options)).isInstanceOf(TrainingStopped.class);
        assertThat(new RunFolder(runs.path("featureless")).recipe()).exists();
        try (Stream<Path> files = Files.walk(cache)) {
            assertThat(files.filter(file -> file.toString().endsWith(".safetensors")))
                    .as("shards after a stop in the first batch")
                    .isEmpty();
        }
        runs.run(first(), "featureless", TrainingOptions.defaults(cache));
        assertThat(runs.weightsHash("featureless")).isEqualTo(runs.weightsHash("first"));
    }

    @Test
    void cancellation_is_noticed_while_the_network_is_initialised() throws IOException {
        stopAtOnce(first(), "not started", runs.cache());
        assertThat(new RunFolder(runs.path("not started")).last(1)).doesNotExist();
        runs.run(first(), "not started");
        assertThat(runs.weightsHash("not started")).isEqualTo(runs.weightsHash("first"));
    }

    @Test
    void cancellation_is_noticed_while_the_classifier_is_fitted() throws IOException {
        stopAndGoOn(first(), "not fitted", 15, "first");
        RunFolder folder = new RunFolder(runs.path("not fitted"));
        Files.delete(folder.model());
        Files.delete(folder.scores());
        stopAtOnce(first(), "not fitted", runs.cache());
        assertThat(folder.model()).doesNotExist();
        runs.run(first(), "not fitted");
        assertThat(runs.weightsHash("not fitted")).isEqualTo(runs.weightsHash("first"));
        assertThat(runs.events("not fitted")).isEqualTo(runs.events("first"));
    }

    @Test
    void a_finished_run_that_is_run_again_gives_the_same_result() throws IOException {
        runs.run(first(), "again");
        Path model = new RunFolder(runs.path("again")).model();
        byte[] before = Files.readAllBytes(model);
        Instant written = Instant.now().truncatedTo(ChronoUnit.SECONDS); // as precise as the date in the file
        while (Instant.now().truncatedTo(ChronoUnit.SECONDS).equals(written)) {
            Thread.onSpinWait();
        }
        runs.run(first(), "again");
        assertThat(Files.readAllBytes(model)).as("the model file").isEqualTo(before);
        assertThat(runs.weightsHash("again")).isEqualTo(runs.weightsHash("first"));
        assertThat(runs.events("again")).isEqualTo(runs.events("first"));
    }

    @Test
    void lines_that_a_killed_process_wrote_after_its_checkpoint_are_cut_off() throws IOException {
        assertThatThrownBy(() -> runs.run(first(), "cut", runs.stoppingAfter(9)))
                .isInstanceOf(TrainingStopped.class);
        Path log = new RunFolder(runs.path("cut")).events();
        Files.writeString(log, Files.readString(log) + "{\"event\":\"epoch\",\"half a li");
        runs.run(first(), "cut");
        assertThat(runs.events("cut")).isEqualTo(runs.events("first"));
    }

    @Test
    void a_damaged_or_mismatched_checkpoint_is_refused_with_its_name() throws IOException {
        TrainingOptions everyStep = runs.stoppingAfter(7).savingEvery(Duration.ZERO);
        assertThatThrownBy(() -> runs.run(first(), "damaged", everyStep)).isInstanceOf(TrainingStopped.class);
        Path last = new RunFolder(runs.path("damaged")).last(1);
        byte[] bytes = Files.readAllBytes(last);
        Files.write(last, java.util.Arrays.copyOf(bytes, bytes.length / 2));
        assertThatThrownBy(() -> runs.run(first(), "damaged"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("stage1-last");
        Files.copy(runs.weights(), last, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> runs.run(first(), "damaged"))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("not a checkpoint");
    }
}
