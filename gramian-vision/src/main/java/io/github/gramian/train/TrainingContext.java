package io.github.gramian.train;

import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.RunLock;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.stage.internal.DistributedTraining;
import java.io.IOException;
import java.nio.file.Path;
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
}
