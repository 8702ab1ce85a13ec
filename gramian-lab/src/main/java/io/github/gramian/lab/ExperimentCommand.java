package io.github.gramian.lab;

import io.github.gramian.cli.common.StopSignal;
import io.github.gramian.cli.train.TrainingRunOptions;
import io.github.gramian.lab.grid.Experiment;
import io.github.gramian.lab.grid.Grid;
import io.github.gramian.lab.grid.ResultFolder;
import io.github.gramian.model.config.internal.ConfigJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian experiment}: a grid of trainings, one small file of results each. */
@Command(
        name = "experiment",
        description = {
            "Runs a grid of methods, datasets, splits and seeds.",
            "All runs share one feature cache.",
            "Runs with a result are skipped; stopped runs continue when the same command is given again.",
            "To make tables of the results, use: gramian tables"
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian experiment grids/frozen.yaml --data data/ --backbone resnet50.safetensors --out results/frozen",
            "  gramian experiment grids/frozen.yaml --data data/ --backbone resnet50.safetensors --out results/frozen \\",
            "      --only kernel,bilinear --datasets dtd --splits 1 --dry-run",
            "  gramian experiment grids/paper-table1.yaml --data data/ --backbone vgg16.safetensors --out trial --rehearse"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ExperimentCommand extends LabCommand {

    @Parameters(
            paramLabel = "GRID",
            description = "Grid in YAML: datasets, methods, and differences from default recipes.")
    private Path file;

    @Option(names = "--data", required = true, description = "Directory that contains the datasets.")
    private Path data;

    @Option(names = "--backbone", required = true, description = "Weights file from 'gramian weights import'.")
    private Path backbone;

    @Option(names = "--out", required = true, description = "Directory of the results.")
    private Path out;

    @Option(
            names = "--cache",
            description = "Directory of the feature cache (default: 'features' next to the results).")
    private @Nullable Path cache;

    @Option(names = "--only", split = ",", paramLabel = "METHOD", description = "Run only these methods.")
    private List<String> methods = new ArrayList<>();

    @Option(names = "--datasets", split = ",", paramLabel = "DATASET", description = "Run only these datasets.")
    private List<String> datasets = new ArrayList<>();

    @Option(names = "--splits", split = ",", paramLabel = "NUMBER", description = "Run only these splits.")
    private List<Integer> splits = new ArrayList<>();

    @Option(names = "--seeds", split = ",", paramLabel = "NUMBER", description = "Run only these seeds.")
    private List<Long> seeds = new ArrayList<>();

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Setting to override in all recipes; 'gramian recipe show' lists the keys.")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--rehearse",
            description = "Shorten every run: small images and networks, one epoch per stage. It finds what is"
                    + " missing before the long runs; its scores mean nothing.")
    private boolean rehearse;

    @Option(names = "--dry-run", description = "List the runs without starting them.")
    private boolean dryRun;

    @Option(names = "--keep-runs", description = "Keep models and logs of finished runs in the directory 'runs'.")
    private boolean keepRuns;

    @Option(names = "--redo", description = "Replace results of other recipes instead of refusing them.")
    private boolean redo;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        Grid grid = Grid.read(file);
        List<Grid.Run> runs = selected(grid);
        if (rehearse) {
            runs = runs.stream().map(Grid.Run::rehearsal).toList();
        }
        if (dryRun) {
            return list(runs);
        }
        // Closed last: the process ends as soon as it is, so all output must have been printed by then.
        try (StopSignal stop = StopSignal.listen()) {
            return run(grid, runs, stop);
        }
    }

    /** The runs that the options leave. A name that the grid does not have is an error, not an empty selection. */
    private List<Grid.Run> selected(Grid grid) {
        requireKnown("method", methods, grid.methods().keySet());
        requireKnown("dataset", datasets, grid.datasets().keySet());
        List<Grid.Run> runs = grid.runs(data, backbone.toString(), settings).stream()
                .filter(run -> among(methods, run.cell().method())
                        && among(datasets, run.cell().dataset())
                        && among(splits, run.cell().split())
                        && among(seeds, run.cell().seed()))
                .toList();
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("nothing of the grid is selected; loosen the selection");
        }
        return runs;
    }

    private static <T> boolean among(List<T> wanted, T value) {
        return wanted.isEmpty() || wanted.contains(value);
    }

    private static void requireKnown(String what, List<String> wanted, Set<String> known) {
        for (String name : wanted) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(
                        "the grid has no " + what + " '" + name + "'; " + ConfigJson.nearest(name, known));
            }
        }
    }

    private int list(List<Grid.Run> runs) throws IOException {
        ResultFolder results = new ResultFolder(out);
        List<String> toDo = new ArrayList<>();
        for (Grid.Run run : runs) {
            if (!results.isDone(run, redo)) {
                toDo.add(run.place());
            }
        }
        int done = runs.size() - toDo.size();
        report(Map.of("done", done, "toDo", toDo), writer -> {
            toDo.forEach(writer::println);
            writer.println(toDo.size() + " to do, " + done + " done");
        });
        return 0;
    }

    private int run(Grid grid, List<Grid.Run> runs, StopSignal stop) throws IOException {
        PrintWriter err = stderr();
        Consumer<String> log = line -> {
            if (!quiet && !isJson()) {
                err.println(line);
                err.flush();
            }
        };
        log.accept(grid.title());
        Path features = TrainingRunOptions.cacheFolder(cache, out);
        Duration checkpoints = Duration.ofMinutes(5);
        Experiment.Summary summary = Experiment.run(
                runs,
                grid.robustness(),
                new Experiment.Options(
                        new ResultFolder(out), features, keepRuns, redo, checkpoints, stop, log, event -> {}));
        report(summary, writer -> {
            summary.failed().forEach((place, message) -> writer.println("failed: " + place + ": " + message));
            writer.println(summary.done() + " of " + summary.all() + " runs have results in " + out);
        });
        if (summary.stopped()) {
            err.println("gramian: stopped with " + summary.done() + " of " + summary.all()
                    + " runs done; give the same command to continue");
            err.flush();
            return StopSignal.EXIT_CODE;
        }
        return summary.failed().isEmpty() ? 0 : 1;
    }
}
