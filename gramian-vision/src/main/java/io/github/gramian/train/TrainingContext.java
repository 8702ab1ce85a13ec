package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.DatasetException;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.EventLog;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.RunInputs;
import io.github.gramian.run.internal.RunLock;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.ModelSelection.SelectionFile;
import io.github.gramian.train.stage.internal.Checkpoint;
import io.github.gramian.train.stage.internal.DistributedTraining;
import io.github.gramian.train.stage.internal.StageRunner.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a training share: the recipe, the locked run directory, the one cancellation token, and the processes that
 * train together. Closing it leaves the process group and unlocks the directory.
 */
final class TrainingContext implements AutoCloseable {

    private final Recipe recipe;
    private final RunFolder directory;
    private final TrainingOptions options;
    private final CancellationToken cancellation;
    private final @Nullable RunLock lock;
    private final DistributedTraining processes;
    private final long started = System.nanoTime();

    private TrainingContext(
            Recipe recipe,
            RunFolder directory,
            TrainingOptions options,
            @Nullable RunLock lock,
            DistributedTraining processes) {
        this.recipe = recipe;
        this.directory = directory;
        this.options = options;
        this.cancellation = new CancellationToken(options.stop(), () -> new TrainingStopped(directory.path()));
        this.lock = lock;
        this.processes = processes;
    }

    /** Locks the run directory in the leading process, and joins the other processes. */
    static TrainingContext open(Recipe recipe, Path directory, TrainingOptions options) throws IOException {
        DistributedTraining.requireSharing(recipe, options.distributed());
        RunFolder run = new RunFolder(directory);
        RunLock lock = options.distributed().leads() ? RunLock.take(run) : null;
        try {
            DistributedTraining processes = DistributedTraining.join(
                    options.distributed(), recipe.backbone().device());
            return new TrainingContext(recipe, run, options, lock, processes);
        } catch (RuntimeException e) {
            if (lock != null) {
                lock.close();
            }
            throw e;
        }
    }

    Recipe recipe() {
        return recipe;
    }

    RunFolder directory() {
        return directory;
    }

    TrainingOptions options() {
        return options;
    }

    /** Checked by all loops of the training. */
    CancellationToken cancellation() {
        return cancellation;
    }

    DistributedTraining processes() {
        return processes;
    }

    /** The seed that all others are derived from. */
    Seed seed() {
        return new Seed(recipe.seed());
    }

    /** Seconds since the training was started or resumed. */
    double seconds() {
        return (System.nanoTime() - started) / 1e9;
    }

    /** Sends a line to the listener. */
    void note(String text) {
        options.listener().onEvent(new TrainingEvent.Note(text));
    }

    @Override
    public void close() throws IOException {
        try {
            processes.close();
        } finally {
            if (lock != null) {
                lock.close();
            }
        }
    }

    /**
     * The start of a run in its directory: claims it with the recipe, prepares the features, refuses inputs that have changed since
     * the run was started, and opens the event log after the lines that belong to the last checkpoint.
     */
    static final class RunStart {

        private final TrainingContext context;
        private final RunFolder directory;
        private final DistributedTraining processes;

        RunStart(TrainingContext context) {
            this.context = context;
            this.directory = context.directory();
            this.processes = context.processes();
        }

        /**
         * The features of all images. The leading process prepares them before the others, which then find them if they share a
         * disk with it.
         */
        FeatureSet features(Dataset dataset, Backbone backbone) throws IOException {
            return processes.inTurn(
                    () -> prepared(dataset, backbone), () -> FeatureSet.prepare(context, dataset, backbone, false));
        }

        /** If the dataset turns out to be unusable, a new run leaves no directory. */
        private FeatureSet prepared(Dataset dataset, Backbone backbone) throws IOException {
            boolean resumed = Files.exists(directory.recipe());
            claim();
            try {
                return FeatureSet.prepare(context, dataset, backbone, true);
            } catch (DatasetException e) {
                if (!resumed) {
                    deleteRecipe(e);
                }
                throw e;
            }
        }

        /** Writes the recipe first, so that a stopped run can be resumed. */
        private void claim() throws IOException {
            if (Files.exists(directory.recipe())) {
                Recipe there = RecipeFile.readStored(directory.recipe());
                if (!there.equals(context.recipe())) {
                    throw new IllegalArgumentException(
                            directory.path() + " holds a run of another recipe; choose another --out, or"
                                    + " resume it with: gramian resume " + directory.path());
                }
            } else {
                RecipeFile.keep(directory.recipe(), context.recipe());
            }
        }

        /** Closing the lock then removes the directory. If deleting fails, the original error is still reported. */
        private void deleteRecipe(DatasetException reason) {
            try {
                Files.deleteIfExists(directory.recipe());
            } catch (IOException failure) {
                reason.addSuppressed(failure);
            }
        }

        /**
         * Refuses changed inputs, and stores them.
         *
         * @return a sentence if parts of the run were computed with different arithmetic
         */
        Optional<String> storeInputs(RunInputs inputs) throws IOException {
            if (!processes.leads()) {
                return Optional.empty();
            }
            inputs.requireUnchanged(directory, true);
            RunInputs.Arithmetic arithmetic = RunInputs.Arithmetic.in(directory, processes.size());
            inputs.keep(directory, arithmetic);
            arithmetic.warning().ifPresent(context::note);
            return arithmetic.warning();
        }

        /** Opens the event log: the context of the stages. */
        StageContext stages(RunInputs inputs) throws IOException {
            EventLog log = processes.leads() ? EventLog.open(directory.events(), resumedLines()) : EventLog.none();
            TrainingOptions options = context.options();
            return new StageContext(
                    options.listener().and(log),
                    log,
                    context.cancellation(),
                    options.checkpointEvery(),
                    processes,
                    inputs.hashes());
        }

        /** Lines of the event log that belong to what was done: the newest checkpoint has their number. */
        private int resumedLines() throws IOException {
            Optional<SelectionFile> selection = SelectionFile.read(directory);
            for (Path checkpoint : List.of(
                    directory.lastOnAll(2),
                    directory.lastOnAll(1),
                    directory.choice(),
                    directory.last(2),
                    directory.last(1))) {
                if (Files.exists(checkpoint)) {
                    return checkpoint.equals(directory.choice())
                            ? selection.orElseThrow().events()
                            : Checkpoint.position(checkpoint).events();
                }
            }
            return 0;
        }
    }
}
