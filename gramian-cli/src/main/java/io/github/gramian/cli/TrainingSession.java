package io.github.gramian.cli;

import io.github.gramian.cli.report.Report;
import io.github.gramian.train.Recipe;
import io.github.gramian.train.RunFolder;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** What {@code train} and {@code resume} share: progress, Ctrl-C, and the files for people at the end. */
final class TrainingSession {

    @Option(names = "--cache", description = "Folder for features. Without it, 'features' beside the run.")
    private @Nullable Path cache;

    @Option(
            names = "--checkpoint-seconds",
            defaultValue = "60",
            description = "Time between checkpoints within an epoch (${DEFAULT-VALUE}).")
    private long checkpointSeconds;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    int run(Recipe recipe, Path folder, CommandSpec spec) throws IOException {
        // Closed last: the process ends as soon as it is, and what is to be said must have been said by then.
        try (StopSignal stop = StopSignal.listen()) {
            return run(recipe, folder, spec, stop);
        }
    }

    private int run(Recipe recipe, Path folder, CommandSpec spec, StopSignal stop) throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        try (TrainingProgress progress = new TrainingProgress(err, quiet || json);
                TensorBoardLog board = new TensorBoardLog(new RunFolder(folder).tensorBoard())) {
            TrainingOptions options = TrainingOptions.quiet(cacheFolder(cache, folder))
                    .savingEvery(Duration.ofSeconds(checkpointSeconds))
                    .stoppedBy(stop)
                    .hearing(progress.and(board));
            Training.Outcome outcome = Training.run(recipe, folder, options);
            Report.write(folder);
            tell(outcome, spec.commandLine().getOut());
            return 0;
        } catch (TrainingStopped stopped) {
            err.println("gramian: " + stopped.getMessage());
            err.flush();
            return StopSignal.EXIT_CODE;
        }
    }

    /** Where features are kept for what goes into a folder. */
    static Path cacheFolder(@Nullable Path cache, Path folder) {
        return cache == null ? folder.toAbsolutePath().normalize().resolveSibling("features") : cache;
    }

    private void tell(Training.Outcome outcome, PrintWriter out) {
        if (json) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("accuracy", outcome.scores().accuracy());
            result.put("validationAccuracy", String.valueOf(outcome.validationAccuracy()));
            result.put("folder", outcome.folder().path().toString());
            JsonOutput.print(out, result);
        } else {
            out.println(String.format(Locale.ROOT, "test: %s", outcome.scores().summary()));
            out.println("model:  " + outcome.folder().model());
            out.println("report: " + outcome.folder().report());
        }
        out.flush();
    }
}
