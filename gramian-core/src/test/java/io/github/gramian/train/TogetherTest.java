package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.parallel.PeerLostException;
import io.github.gramian.parallel.Ranks;
import io.github.gramian.parallel.World;
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

/** Whole trainings by two processes, which threads play here: images, features, both stages, the model. */
@Tag("slow")
class TogetherTest {

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    private static void take(Recipe recipe, String name, TrainingOptions options) throws IOException {
        if (options.world().leads()) {
            runs.run(recipe, name, options);
        } else {
            Training.assist(recipe, runs.path(name + " of others"), options);
        }
    }

    private static List<Future<World>> settle(Recipe recipe, String name, int size) throws Exception {
        return Ranks.settle(size, world -> {
            take(recipe, name, TrainingOptions.quiet(runs.cache()).among(world));
            return world;
        });
    }

    private static double apart(String a, String b) throws IOException {
        return SharedStage.distance(new RunFolder(runs.path(a)).model(), new RunFolder(runs.path(b)).model());
    }

    private static Recipe bothStages() {
        return runs.recipe(
                "stage1.epochs=2",
                "stage1.batch=8",
                "initialisation.classifier=ridge",
                "stage2.epochs=2",
                "stage2.batch=10",
                "stage2.trainFrom=res5b",
                "refit=best");
    }

    @Test
    void both_stages_together_come_to_what_one_process_comes_to() throws Exception {
        runs.run(bothStages(), "alone");
        List<TrainingEvent> heard = Collections.synchronizedList(new ArrayList<>());
        Ranks.run(2, world -> {
            TrainingOptions options = TrainingOptions.quiet(runs.cache()).among(world);
            take(bothStages(), "both", world.leads() ? options.hearing(heard::add) : options);
            return world;
        });
        assertThat(apart("both", "alone")).isLessThan(1e-4);
        assertThat(Files.readString(new RunFolder(runs.path("both")).scores()))
                .contains("\"processes\":{", "\"count\":2", "\"waitingShare\":");
        assertThat(Files.readString(new RunFolder(runs.path("alone")).scores())).doesNotContain("processes");
        assertThat(heard)
                .filteredOn(TrainingEvent.Note.class::isInstance)
                .extracting(Object::toString)
                .anyMatch(line -> line.contains("stage 2, 2 processes") && line.contains("waiting for each other"));
        assertThat(runs.path("both of others")).doesNotExist();
        assertThat(runs.events("both")).hasSameSizeAs(runs.events("alone"));
    }

    @Test
    void features_and_starts_that_take_longer_than_the_timeout_are_waited_for() throws Exception {
        AtomicInteger slow = new AtomicInteger();
        TrainingListener sleeper = event -> {
            if (event instanceof TrainingEvent.Features || event instanceof TrainingEvent.Ridge) {
                slow.incrementAndGet();
                try {
                    Thread.sleep(1500);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        Recipe recipe = runs.recipe("initialisation.classifier=ridge", "network.branches.0.size=40");
        Ranks.run(2, world -> {
            TrainingOptions options = TrainingOptions.quiet(runs.path("own cache of " + world.rank()))
                    .among(world.waiting(Duration.ofSeconds(1)))
                    .hearing(sleeper);
            take(recipe, "slow", options);
            return world;
        });
        assertThat(slow.get()).isGreaterThan(2);
    }

    @Test
    void a_stop_reaches_all_at_the_same_step_and_they_go_on_where_they_were() throws Exception {
        Ranks.run(2, world -> {
            take(bothStages(), "unbroken", TrainingOptions.quiet(runs.cache()).among(world));
            return world;
        });
        for (int stopAt : new int[] {2, 3}) {
            List<Future<World>> ends = Ranks.settle(2, world -> {
                AtomicInteger batches = new AtomicInteger();
                take(
                        bothStages(),
                        "stopped",
                        TrainingOptions.quiet(runs.cache())
                                .savingEvery(Duration.ofDays(1))
                                .hearing(event -> batches.addAndGet(event instanceof TrainingEvent.Step ? 1 : 0))
                                .stoppedBy(() -> world.rank() == 1 && batches.get() >= stopAt)
                                .among(world));
                return world;
            });
            for (Future<World> end : ends) {
                assertThatThrownBy(end::get).hasCauseInstanceOf(TrainingStopped.class);
            }
        }
        Ranks.run(2, world -> {
            take(bothStages(), "stopped", TrainingOptions.quiet(runs.cache()).among(world));
            return world;
        });
        assertThat(runs.weightsHash("stopped")).isEqualTo(runs.weightsHash("unbroken"));
        assertThat(runs.events("stopped")).isEqualTo(runs.events("unbroken"));
    }

    @Test
    void a_network_that_is_only_fitted_needs_the_first_process_alone() throws Exception {
        Recipe fitted = runs.recipe("stage1.epochs=0", "refit=always");
        runs.run(fitted, "fitted alone");
        for (Future<World> end : settle(fitted, "fitted", 2)) {
            end.get();
        }
        assertThat(runs.weightsHash("fitted")).isEqualTo(runs.weightsHash("fitted alone"));
    }

    @Test
    void processes_with_different_recipes_do_not_begin() throws Exception {
        List<Future<World>> ends = Ranks.settle(2, world -> {
            take(
                    runs.recipe("seed=" + (world.rank() + 1)),
                    "different",
                    TrainingOptions.quiet(runs.cache()).among(world));
            return world;
        });
        for (Future<World> end : ends) {
            assertThatThrownBy(end::get).cause().hasMessageContainingAll("process 1 has another recipe", "the same");
        }
    }

    @Test
    void a_process_that_fails_takes_the_others_with_it() throws Exception {
        Recipe recipe = runs.recipe("stage1.epochs=50");
        List<Future<World>> ends = Ranks.settle(2, world -> {
            TrainingOptions options = TrainingOptions.quiet(runs.cache()).among(world);
            take(
                    recipe,
                    "failing",
                    world.leads()
                            ? options
                            : options.stoppedBy(() -> {
                                throw new IllegalStateException("no more");
                            }));
            return world;
        });
        assertThatThrownBy(() -> ends.get(0).get()).hasCauseInstanceOf(PeerLostException.class);
        assertThatThrownBy(() -> ends.get(1).get()).cause().hasMessage("no more");
    }

    @Test
    void what_cannot_be_shared_is_refused_before_anybody_waits() {
        World two = World.at("nobody:1", 0, 2);
        TrainingOptions options = TrainingOptions.quiet(runs.cache()).among(two);
        assertThatThrownBy(() -> runs.run(runs.recipe("stage1.mixup=0.2"), "mixed", options))
                .hasMessageContainingAll("mixup", "stage1.mixup=0");
        assertThatThrownBy(() -> runs.run(runs.recipe("stage1.batch=1"), "small", options))
                .hasMessageContainingAll("2 processes cannot share batches of 1 images", "stage1.batch");
        assertThatThrownBy(() -> Training.assist(runs.recipe(), runs.path("x"), options))
                .hasMessageContaining("must call run");
        assertThatThrownBy(() -> runs.run(
                        runs.recipe(), "x", TrainingOptions.quiet(runs.cache()).among(World.at("nobody:1", 1, 2))))
                .hasMessageContaining("call assist");
    }
}
