package io.github.gramian.experiments.grid;

import io.github.gramian.run.TrainingListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Options of an experiment that do not change its results.
 *
 * @param results folder of the results
 * @param cache folder for features, which all runs share
 * @param keepRuns whether models and logs are retained when a run is done
 * @param redo whether results of another recipe are replaced
 * @param checkpointEvery time between checkpoints within an epoch
 * @param stop asked after every step and between runs
 * @param listener receives the events of runs
 * @param training receives the events of the training within a run
 * @param robustness corrupted test images to evaluate all models on; null for none
 */
public record ExperimentOptions(
        ResultFolder results,
        Path cache,
        boolean keepRuns,
        boolean redo,
        Duration checkpointEvery,
        BooleanSupplier stop,
        ExperimentListener listener,
        TrainingListener training,
        @Nullable RobustnessPlan robustness) {

    /** Runs are deleted when done, no results are replaced, nothing stops it, no listeners. */
    public static ExperimentOptions defaults(Path results, Path cache) {
        return new ExperimentOptions(
                new ResultFolder(results),
                cache,
                false,
                false,
                Duration.ofMinutes(1),
                () -> false,
                event -> {},
                TrainingListener.silent(),
                null);
    }

    /** The same, with run directories retained or not, and results of other recipes replaced or not. */
    public ExperimentOptions with(boolean keep, boolean replace) {
        return new ExperimentOptions(
                results, cache, keep, replace, checkpointEvery, stop, listener, training, robustness);
    }

    public ExperimentOptions stoppedBy(BooleanSupplier other) {
        return new ExperimentOptions(
                results, cache, keepRuns, redo, checkpointEvery, other, listener, training, robustness);
    }

    public ExperimentOptions withListener(ExperimentListener runs, TrainingListener within) {
        return new ExperimentOptions(results, cache, keepRuns, redo, checkpointEvery, stop, runs, within, robustness);
    }

    /** The same with another time between checkpoints. */
    public ExperimentOptions savingEvery(Duration time) {
        return new ExperimentOptions(results, cache, keepRuns, redo, time, stop, listener, training, robustness);
    }

    /** The same; all models are evaluated on corrupted test images, too, unless this is null. */
    public ExperimentOptions withRobustness(@Nullable RobustnessPlan plan) {
        return new ExperimentOptions(results, cache, keepRuns, redo, checkpointEvery, stop, listener, training, plan);
    }
}
