package io.github.gramian.experiments.grid;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.feature.internal.CacheException;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.RunInUseException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.tensor.internal.PeakMemory;
import io.github.gramian.tensor.safetensors.internal.SafetensorsException;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs a grid, one training after another, over one feature cache. Runs with a result are skipped, stopped runs are
 * resumed, failures are recorded, and the other runs continue. Several processes may work on one grid if each is given another
 * part.
 */
public final class Experiment {

    private final List<GridRun> runs;
    private final ExperimentOptions options;
    private final ResultFolder results;
    private final TimeLeft time = new TimeLeft();
    private final Map<GridRun, String> failures = new LinkedHashMap<>();

    private Experiment(List<GridRun> runs, ExperimentOptions options) {
        this.runs = List.copyOf(runs);
        this.options = options;
        this.results = options.results();
    }

    /**
     * The outcome.
     *
     * @param done runs that have a result now, those from before included
     * @param all runs that were asked for
     * @param failures what went wrong, by run
     * @param stopped whether it was cancelled before the end
     */
    public record Summary(int done, int all, Map<GridRun, String> failures, boolean stopped) {}

    /**
     * Runs what has no result yet.
     *
     * @throws IllegalArgumentException before anything runs, if there is a result or an unfinished run of another recipe
     * @throws IOException if files cannot be read or written: a full disk stops all runs
     */
    public static Summary run(List<GridRun> runs, ExperimentOptions options) throws IOException {
        return new Experiment(runs, options).run();
    }

    private Summary run() throws IOException {
        Summary trained = trainAll();
        RobustnessPlan plan = options.robustness();
        if (plan == null || trained.stopped()) {
            return trained;
        }
        boolean completed = new RobustnessExperiment(plan, options).run(runs);
        return new Summary(trained.done(), trained.all(), trained.failures(), !completed);
    }

    /** A run with a result counts as done unless corrupted images are left to evaluate and its model was deleted. */
    private boolean isDone(GridRun run) throws IOException {
        RobustnessPlan plan = options.robustness();
        return results.isDone(run, options.redo())
                && (plan == null
                        || new RobustnessExperiment(plan, options).isDone(run)
                        || Files.exists(new RunFolder(results.training(run)).model()));
    }

    private Summary trainAll() throws IOException {
        if (options.robustness() != null) {
            RobustnessExperiment.requireFrozen(runs);
        }
        List<GridRun> toDo = new ArrayList<>();
        for (GridRun run : runs) {
            if (isDone(run)) {
                time.learn(run, RunResult.read(results.result(run)).totalSeconds());
            } else {
                results.claimTraining(run, options.redo());
                toDo.add(run);
            }
        }
        int done = runs.size() - toDo.size();
        options.listener().onEvent(new ExperimentEvent.Planned(toDo.size(), done));
        for (int i = 0; i < toDo.size(); i++) {
            try {
                if (options.stop().getAsBoolean()) {
                    return new Summary(done, runs.size(), failures, true);
                }
                done += next(toDo, i) ? 1 : 0;
            } catch (TrainingStopped e) {
                return new Summary(done, runs.size(), failures, true);
            }
        }
        return new Summary(done, runs.size(), failures, false);
    }

    /** One run; false if it failed. */
    private boolean next(List<GridRun> toDo, int index) throws IOException {
        GridRun run = toDo.get(index);
        int number = index + 1;
        if (isDone(run)) {
            options.listener().onEvent(new ExperimentEvent.Skipped(run, number, toDo.size()));
            return true;
        }
        options.listener()
                .onEvent(new ExperimentEvent.Started(
                        run, number, toDo.size(), time.of(toDo.subList(index, toDo.size()))));
        try {
            RunResult result = train(run);
            time.learn(run, result.totalSeconds());
            options.listener().onEvent(new ExperimentEvent.Finished(run, number, toDo.size(), result));
            return true;
        } catch (TrainingStopped | UncheckedIOException e) {
            throw e;
        } catch (SafetensorsException | CacheException | WeightsException e) {
            throw e; // a damaged file concerns other runs, too
        } catch (RunInUseException e) { // its files belong to another process, which continues
            return failed(run, number, toDo.size(), String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            String message = e.getMessage() == null ? e.getClass().getSimpleName() : Text.firstLine(e.getMessage());
            results.noteFailure(run, message);
            if (!options.keepRuns()) {
                results.clean(run);
            }
            return failed(run, number, toDo.size(), message);
        }
    }

    private boolean failed(GridRun run, int number, int toDo, String message) {
        failures.put(run, message);
        options.listener().onEvent(new ExperimentEvent.Failed(run, number, toDo, message));
        return false;
    }

    private RunResult train(GridRun run) throws IOException {
        Path folder = results.training(run);
        AtomicFile.makeFolder(folder);
        RunClock clock = RunClock.in(folder);
        @Nullable Long peak = null;
        // A run with scores is complete: it was killed before its result was written, and is not evaluated again.
        if (!Files.exists(new RunFolder(folder).scores())) {
            TrainingOptions training = TrainingOptions.defaults(options.cache())
                    .withoutReportData()
                    .savingEvery(options.checkpointEvery())
                    .stoppedBy(options.stop())
                    .withListener(clock.and(options.training()));
            try {
                OptionalLong bytes = PeakMemory.of(() -> trained(run, folder, training));
                peak = bytes.isPresent() ? (Long) bytes.getAsLong() : null;
            } catch (TrainingStopped e) {
                clock.pause();
                throw e;
            }
        }
        RunResult result = new ResultWriter(run, new RunFolder(folder)).into(results, clock.stop(), peak);
        Files.deleteIfExists(results.failure(run));
        if (!options.keepRuns() && options.robustness() == null) {
            results.clean(run);
        }
        return result;
    }

    private static void trained(GridRun run, Path folder, TrainingOptions training) {
        try {
            Training.of(run.recipe()).with(training).into(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
