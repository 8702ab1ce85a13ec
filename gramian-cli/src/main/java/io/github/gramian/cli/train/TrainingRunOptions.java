package io.github.gramian.cli.train;

import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.StopSignal;
import io.github.gramian.cli.report.Report;
import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.CalledUnknown;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.train.GoodTraining;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options that {@code train} and {@code resume} share, and the training with progress, Ctrl-C and the report. */
public final class TrainingRunOptions {

    @Option(
            names = "--cache",
            description = "Directory for cached features (default: 'features' next to the run directory).")
    private @Nullable Path cache;

    @Option(
            names = "--checkpoint-seconds",
            defaultValue = "60",
            description = "Seconds between checkpoints within an epoch (default: ${DEFAULT-VALUE}).")
    private long checkpointSeconds;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Mixin
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private ProcessOptions processes;

    int run(Recipe recipe, Path folder, CommandSpec spec) throws IOException {
        if (processes.startsSeveral()) {
            return processes.startSeveral(spec);
        }
        DistributedConfig distributed = processes.distributed();
        // Closed last: the process ends as soon as it is, so all output must have been printed by then.
        try (StopSignal stop = StopSignal.listen()) {
            return distributed.leads()
                    ? lead(recipe, folder, spec, stop, distributed)
                    : assist(recipe, folder, spec, stop, distributed);
        }
    }

    private int lead(Recipe recipe, Path folder, CommandSpec spec, StopSignal stop, DistributedConfig distributed)
            throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        try (TrainingProgress progress = new TrainingProgress(err, quiet || json)) {
            TrainingOptions options = TrainingOptions.defaults(cacheFolder(cache, folder))
                    .savingEvery(Duration.ofSeconds(checkpointSeconds))
                    .stoppedBy(stop)
                    .withListener(progress)
                    .among(distributed);
            Run outcome = Training.of(recipe).with(options).into(folder);
            Report.write(folder);
            print(outcome, spec.commandLine().getOut());
            return 0;
        } catch (TrainingStopped e) {
            return stopped(e, err);
        }
    }

    /** Trains on good parts alone, with progress. */
    void runOnGood(GoodTraining training, Path folder, CommandSpec spec) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (TrainingProgress progress = new TrainingProgress(spec.commandLine().getErr(), quiet || json)) {
            GoodTraining.Result result = training.into(folder, progress);
            if (json) {
                JsonOutput.print(
                        out,
                        Json.members(
                                Map.entry("photographs", result.photographs()),
                                Map.entry("objects", result.objects()),
                                Map.entry("alarms", training.alarms()),
                                Map.entry("unusual", result.unusual()),
                                Map.entry("folder", folder.toString())));
            } else {
                out.println(String.format(
                        Locale.ROOT,
                        "%s; at most %.3g %% of good photographs raise an alarm",
                        Text.count(result.photographs(), "good photograph"),
                        100 * training.alarms()));
                out.println(
                        "most unusual: " + String.join(", ", result.unusual().keySet())
                                + " (look at them: a defect among the good photographs hides others)");
                out.println("model:  " + result.model());
            }
            out.flush();
        }
    }

    /** Takes part in a training that another process leads, shows and writes. */
    private int assist(Recipe recipe, Path folder, CommandSpec spec, StopSignal stop, DistributedConfig distributed)
            throws IOException {
        try {
            Training.of(recipe)
                    .with(TrainingOptions.defaults(cacheFolder(cache, folder))
                            .stoppedBy(stop)
                            .among(distributed))
                    .assist(folder);
            return 0;
        } catch (TrainingStopped e) {
            return stopped(e, spec.commandLine().getErr());
        }
    }

    private static int stopped(TrainingStopped stopped, PrintWriter err) {
        err.println("gramian: " + stopped.getMessage());
        err.flush();
        return StopSignal.EXIT_CODE;
    }

    public static Path cacheFolder(@Nullable Path cache, Path folder) {
        return cache == null ? RunFolder.cacheNextTo(folder) : cache;
    }

    private void print(Run outcome, PrintWriter out) throws IOException {
        Optional<CalledUnknown> unknown =
                outcome.scores().perClass().size() > 1 ? Optional.empty() : CalledUnknown.of(outcome);
        if (json) {
            Map<String, @Nullable Object> result = new LinkedHashMap<>();
            unknown.ifPresent(counts -> result.put("calledUnknown", counts.levels()));
            result.put("accuracy", outcome.scores().accuracy());
            result.put("validationAccuracy", outcome.validationAccuracy());
            result.put("folder", outcome.directory().toString());
            JsonOutput.print(out, result);
        } else {
            out.println("test: "
                    + unknown.map(CalledUnknown::summary)
                            .orElseGet(() -> outcome.scores().summary()));
            out.println("model:  " + outcome.model());
            out.println("report: " + new RunFolder(outcome.directory()).report());
        }
        out.flush();
    }

    /** Which processes train: a single one, one of several that the user started, or several that this one starts. */
    static final class ProcessOptions {

        private static final List<String> OF_THE_STARTER = List.of("--processes", "--restarts");

        @Option(
                names = "--processes",
                paramLabel = "N",
                description =
                        "Number of processes on this machine that train together. If one dies, all continue from the last checkpoint.")
        private @Nullable Integer processes;

        @Option(
                names = "--restarts",
                paramLabel = "N",
                defaultValue = "3",
                description = "With --processes: maximum number of restarts (default: ${DEFAULT-VALUE}).")
        private int restarts;

        @Option(
                names = "--rank",
                paramLabel = "R",
                description = "Train as process R, from 0, of several that you start manually, on any machines.")
        private @Nullable Integer rank;

        @Option(names = "--world-size", paramLabel = "N", description = "With --rank: number of processes.")
        private @Nullable Integer worldSize;

        @Option(
                names = "--store",
                paramLabel = "HOST:PORT",
                description = "With --rank: the machine of rank 0 and a free port of it, where the processes meet."
                        + " For processes of one machine also file:/PATH, a file that does not exist yet.")
        private @Nullable String store;

        @Option(
                names = "--timeout",
                paramLabel = "SECONDS",
                defaultValue = "1800",
                description =
                        "Seconds after which a machine that does not respond counts as lost (default: ${DEFAULT-VALUE}).")
        private long timeout;

        boolean startsSeveral() {
            if (processes != null && rank != null) {
                throw new IllegalArgumentException(
                        "--processes starts all ranks itself; leave out --rank, or --processes");
            }
            if (processes != null && processes < 1) {
                throw new IllegalArgumentException("--processes must be at least 1 but is " + processes);
            }
            if (restarts < 0) {
                throw new IllegalArgumentException("--restarts must be 0 or more but is " + restarts);
            }
            return processes != null && processes > 1;
        }

        DistributedConfig distributed() {
            if (rank == null && worldSize == null && store == null) {
                return DistributedConfig.singleProcess();
            }
            if (rank == null || worldSize == null || store == null) {
                throw new IllegalArgumentException(
                        "--rank, --world-size and --store belong together; for example, on the second"
                                + " of two machines: --rank 1 --world-size 2 --store FIRST-MACHINE:29400");
            }
            return DistributedConfig.at(store, rank, worldSize).waiting(Duration.ofSeconds(timeout));
        }

        /** Runs this very command in several processes, and returns how they ended. */
        int startSeveral(CommandSpec spec) throws IOException {
            List<String> words = spec.root().commandLine().getParseResult().originalArgs();
            return new LocalProcesses(
                            processes == null ? 1 : processes,
                            restarts,
                            withoutOwn(words),
                            Map.of(),
                            spec.commandLine().getOut(),
                            spec.commandLine().getErr())
                    .run();
        }

        private static List<String> withoutOwn(List<String> words) {
            List<String> others = new ArrayList<>();
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i);
                if (OF_THE_STARTER.contains(word)) {
                    i++; // its value
                } else if (OF_THE_STARTER.stream().noneMatch(option -> word.startsWith(option + "="))) {
                    others.add(word);
                }
            }
            return others;
        }
    }
}
