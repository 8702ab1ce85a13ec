package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.Ranks;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.train.stage.internal.DistributedStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole trainings by two processes, simulated by threads: images, features, both stages, the model. */
@Tag("slow")
class DistributedTrainingTest {

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    private static void take(Recipe recipe, String name, TrainingOptions options) throws IOException {
        if (options.distributed().leads()) {
            runs.run(recipe, name, options);
        } else {
            Training.of(recipe).with(options).assist(runs.path(name + " of others"));
        }
    }

    private static List<Future<DistributedConfig>> settle(Recipe recipe, String name, int size) throws Exception {
        return Ranks.settle(size, distributed -> {
            take(recipe, name, TrainingOptions.defaults(runs.cache()).among(distributed));
            return distributed;
        });
    }

    private static double apart(String a, String b) throws IOException {
        return DistributedStage.distance(new RunFolder(runs.path(a)).model(), new RunFolder(runs.path(b)).model());
    }

    private static Recipe bothStages() {
        return runs.recipe(
                "stage1.epochs=2",
                "stage1.batch=8",
                "initialisation.classifier=ridge",
                "stage2.epochs=2",
                "stage2.batch=10",
                "stage2.trainFrom=res5b",
                "stage2.ema=0.9",
                "tuned=always",
                "final=all",
                "refit=best");
    }

    @Test
    void both_stages_in_two_processes_give_the_weights_of_one() throws Exception {
        runs.run(bothStages(), "alone");
        List<TrainingEvent> events = Collections.synchronizedList(new ArrayList<>());
        Ranks.run(2, distributed -> {
            TrainingOptions options = TrainingOptions.defaults(runs.cache()).among(distributed);
            take(bothStages(), "both", distributed.leads() ? options.withListener(events::add) : options);
            return distributed;
        });
        assertThat(apart("both", "alone")).isLessThan(1e-3);
        assertThat(Files.readString(new RunFolder(runs.path("both")).scores()))
                .contains("\"processes\":{", "\"count\":2", "\"waitingShare\":");
        assertThat(Files.readString(new RunFolder(runs.path("alone")).scores()))
                .contains("\"final\":{")
                .doesNotContain("processes");
        assertThat(events)
                .filteredOn(TrainingEvent.Note.class::isInstance)
                .extracting(Object::toString)
                .anyMatch(line -> line.contains("stage 2, 2 processes") && line.contains("waiting for each other"));
        assertThat(runs.path("both of others")).doesNotExist();
        assertThat(runs.events("both")).hasSameSizeAs(runs.events("alone"));
    }

    @Tag("long")
    @Test
    void features_and_starts_that_take_longer_than_the_timeout_are_waited_for() throws Exception {
        AtomicInteger slow = new AtomicInteger();
        TrainingListener sleeper = event -> {
            if (event instanceof TrainingEvent.Features || event instanceof TrainingEvent.Ridge) {
                slow.incrementAndGet();
                try {
                    Thread.sleep(1500);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        Recipe recipe = runs.recipe("initialisation.classifier=ridge", "network.branches.0.size=40");
        Ranks.run(2, distributed -> {
            TrainingOptions options = TrainingOptions.defaults(runs.path("own cache of " + distributed.rank()))
                    .among(distributed.waiting(Duration.ofSeconds(1)))
                    .withListener(sleeper);
            take(recipe, "slow", options);
            return distributed;
        });
        assertThat(slow.get()).isGreaterThan(2);
    }

    @Tag("long")
    @Test
    void a_stop_reaches_all_at_the_same_step_and_they_resume_there() throws Exception {
        Ranks.run(2, distributed -> {
            take(
                    bothStages(),
                    "unbroken",
                    TrainingOptions.defaults(runs.cache()).among(distributed));
            return distributed;
        });
        for (int stopAt : new int[] {2, 3}) {
            List<Future<DistributedConfig>> ends = Ranks.settle(2, distributed -> {
                AtomicInteger batches = new AtomicInteger();
                take(
                        bothStages(),
                        "stopped",
                        TrainingOptions.defaults(runs.cache())
                                .savingEvery(Duration.ofDays(1))
                                .withListener(event -> batches.addAndGet(event instanceof TrainingEvent.Step ? 1 : 0))
                                .stoppedBy(() -> distributed.rank() == 1 && batches.get() >= stopAt)
                                .among(distributed));
                return distributed;
            });
            for (Future<DistributedConfig> end : ends) {
                assertThatThrownBy(end::get).hasCauseInstanceOf(TrainingStopped.class);
            }
        }
        Ranks.run(2, distributed -> {
            take(bothStages(), "stopped", TrainingOptions.defaults(runs.cache()).among(distributed));
            return distributed;
        });
        assertThat(runs.weightsHash("stopped")).isEqualTo(runs.weightsHash("unbroken"));
        assertThat(runs.events("stopped")).isEqualTo(runs.events("unbroken"));
    }

    @Tag("long")
    @Test
    void a_network_that_is_only_fitted_needs_only_the_first_process() throws Exception {
        Recipe fitted = runs.recipe("stage1.epochs=0", "refit=always");
        runs.run(fitted, "fitted alone");
        for (Future<DistributedConfig> end : settle(fitted, "fitted", 2)) {
            end.get();
        }
        assertThat(runs.weightsHash("fitted")).isEqualTo(runs.weightsHash("fitted alone"));
    }

    @Test
    void processes_with_different_recipes_do_not_start() throws Exception {
        List<Future<DistributedConfig>> ends = Ranks.settle(2, distributed -> {
            take(
                    runs.recipe("seed=" + (distributed.rank() + 1)),
                    "different",
                    TrainingOptions.defaults(runs.cache()).among(distributed));
            return distributed;
        });
        for (Future<DistributedConfig> end : ends) {
            assertThatThrownBy(end::get)
                    .cause()
                    .hasMessageContainingAll("recipe of process 1 differs from process 0", "the same");
        }
    }

    @Test
    void a_process_that_fails_takes_the_others_with_it() throws Exception {
        Recipe recipe = runs.recipe("stage1.epochs=50");
        List<Future<DistributedConfig>> ends = Ranks.settle(2, distributed -> {
            TrainingOptions options = TrainingOptions.defaults(runs.cache()).among(distributed);
            take(
                    recipe,
                    "failing",
                    distributed.leads()
                            ? options
                            : options.stoppedBy(() -> {
                                throw new IllegalStateException("no more");
                            }));
            return distributed;
        });
        assertThatThrownBy(() -> ends.get(0).get()).hasCauseInstanceOf(ProcessLostException.class);
        assertThatThrownBy(() -> ends.get(1).get()).cause().hasMessage("no more");
    }

    @Test
    void recipes_that_cannot_be_sharded_are_refused_before_any_process_waits() {
        DistributedConfig two = DistributedConfig.at("nobody:1", 0, 2);
        TrainingOptions options = TrainingOptions.defaults(runs.cache()).among(two);
        assertThatThrownBy(() -> runs.run(runs.recipe("stage1.mixup=0.2"), "mixed", options))
                .hasMessageContainingAll("mixup", "stage1.mixup=0");
        assertThatThrownBy(() -> runs.run(runs.recipe("stage1.batch=1"), "small", options))
                .hasMessageContainingAll("2 processes cannot share batches of 1 images", "stage1.batch");
        assertThatThrownBy(() -> Training.of(runs.recipe()).with(options).assist(runs.path("x")))
                .hasMessageContaining("must call into");
        assertThatThrownBy(() -> runs.run(
                        runs.recipe(),
                        "x",
                        TrainingOptions.defaults(runs.cache()).among(DistributedConfig.at("nobody:1", 1, 2))))
                .hasMessageContaining("call assist");
    }
}
