package io.github.gramian.cli.search;

import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.StopSignal;
import io.github.gramian.cli.report.Report;
import io.github.gramian.cli.report.SearchPage;
import io.github.gramian.cli.train.RecipeOptions;
import io.github.gramian.cli.train.SplitOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.cli.train.TrainingRunOptions;
import io.github.gramian.io.internal.Text;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.search.SearchOptions.Preference;
import io.github.gramian.search.internal.Leaderboard;
import io.github.gramian.search.internal.Objective;
import io.github.gramian.search.internal.SearchConfig;
import io.github.gramian.search.internal.SearchEvent;
import io.github.gramian.search.internal.SearchFolder;
import io.github.gramian.search.internal.SearchRun;
import io.github.gramian.search.internal.SearchSpace;
import io.github.gramian.search.internal.SearchStopped;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gramian search}: the best model for a folder of images, without an expert. */
@Command(
        name = "search",
        description = {
            "Searches for the best settings and trains a model with them.",
            "Compares aggregators, layers, sizes and views on your images.",
            "Candidates are compared by folds inside the training images; the test images are opened once, by the"
                    + " trained model. The run directory is the same as that of 'gramian train', with leaderboard.html next to the"
                    + " report.",
            "Give the same command again to continue a search that was stopped."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian search --images photos/ --backbone resnet50.safetensors --minutes 15 --out runs/best",
            "  gramian search --images photos/ --backbone resnet50.safetensors --prefer small --out runs/small",
            "  gramian search --images photos/ --backbone resnet50.safetensors --objective robust --out runs/robust",
            "  gramian search --images photos/ --backbone resnet50.safetensors --trials 20 --out runs/repeatable"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class SearchCommand extends PrintingCommand {

    /** Candidates of the live leaderboard. */
    private static final int SHOWN = 5;

    private static final double DEFAULT_MINUTES = 15;

    @Mixin
    private RecipeOptions options;

    @Option(names = "--out", required = true, description = "Run directory.")
    private Path out;

    @Option(
            names = "--minutes",
            description =
                    "Time for the search and the training that follows (default: 15). If the training alone takes more"
                            + " than half of it, the rest of the training comes on top. Cached features cost no time.")
    private @Nullable Double minutes;

    @Option(
            names = "--trials",
            description = "Number of trials, instead of a time: two such searches give the same result.")
    private @Nullable Integer trials;

    @Option(
            names = "--objective",
            defaultValue = "accuracy",
            description =
                    "Score of a candidate. accuracy: the accuracy on left-out images; robust: the mean accuracy on"
                            + " corrupted copies of them, with corruptions that no candidate was fitted to (default:"
                            + " ${DEFAULT-VALUE}).")
    private Objective objective;

    @Option(
            names = "--prefer",
            defaultValue = "balanced",
            description = "Which candidate to choose. balanced: the cheapest within one standard error of the best;"
                    + " accuracy: the best; speed: the cheapest within two; small: the shortest descriptor within"
                    + " one (default: ${DEFAULT-VALUE}).")
    private Preference prefer;

    @Option(
            names = "--space",
            description = "YAML file with the search space (default: grids/search/standard.yaml, or robust.yaml for"
                    + " --objective robust).")
    private @Nullable Path space;

    @Mixin
    private SplitOptions splits;

    @Option(names = "--cache", description = "Directory of the feature cache (default: 'features' next to the run).")
    private @Nullable Path cache;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (minutes != null && trials != null) {
            throw new IllegalArgumentException("give --minutes or --trials, not both");
        }
        SearchConfig.Limit limit = trials == null
                ? new SearchConfig.Limit.Minutes(minutes == null ? DEFAULT_MINUTES : minutes)
                : new SearchConfig.Limit.Trials(trials);
        SearchSpace what = space == null ? objective.space() : SearchSpace.read(space);
        SearchConfig config = new SearchConfig(
                what,
                options.settings(splits.settings()),
                limit,
                objective,
                prefer,
                out,
                TrainingRunOptions.cacheFolder(cache, out));
        // Closed last: the process ends as soon as it is, so all output must have been printed by then.
        try (StopSignal stop = StopSignal.listen()) {
            return run(config, stop);
        }
    }

    private int run(SearchConfig config, StopSignal stop) throws IOException {
        long start = System.nanoTime();
        PrintWriter err = stderr();
        boolean silent = quiet || json;
        SearchPage page = new SearchPage(new SearchFolder(out), config.space().title(), objective);
        try (TrainingProgress training = new TrainingProgress(err, silent)) {
            Consumer<SearchEvent> search = event -> {
                if (!silent) {
                    show(event, err);
                }
                if (event instanceof SearchEvent.Scored scored) {
                    scored.board()
                            .choose(config.prefer())
                            .ifPresent(chosen -> page.write(scored.board(), chosen, scored.seconds()));
                }
            };
            SearchRun.Outcome outcome = SearchRun.run(config, new SearchConfig.Watcher(stop, search, training));
            page.write(outcome.board(), outcome.chosen(), outcome.seconds());
            Report.write(out);
            report(outcome, (System.nanoTime() - start) / 1e9);
            return 0;
        } catch (SearchStopped | TrainingStopped e) {
            err.println("gramian: " + e.getMessage());
            err.flush();
            return StopSignal.EXIT_CODE;
        }
    }

    private void report(SearchRun.Outcome outcome, double seconds) {
        PrintWriter writer = stdout();
        Leaderboard.Row chosen = outcome.chosen();
        RunFolder run = new RunFolder(out);
        if (json) {
            Map<String, @Nullable Object> result = new LinkedHashMap<>();
            result.put("chosen", chosen.candidate().name());
            result.put("objective", objective.name().toLowerCase(Locale.ROOT));
            result.put("foldAccuracy", chosen.accuracy().mean());
            result.put(
                    "accuracy",
                    outcome.run() == null ? null : outcome.run().scores().accuracy());
            result.put("candidates", outcome.board().rows().size());
            result.put("seconds", outcome.seconds());
            result.put("folder", out.toString());
            JsonOutput.print(writer, result);
            return;
        }
        table(outcome.board().rows()).forEach(writer::println);
        writer.println(Text.format(
                "chosen: %s (%s), searched for %s, %s with the training",
                chosen.candidate().label(),
                chosen.candidate().name(),
                Text.duration(outcome.seconds()),
                Text.duration(seconds)));
        if (outcome.run() != null) {
            writer.println("test: " + outcome.run().scores().summary());
        }
        writer.println("model:  " + run.model());
        writer.println("report: " + run.report());
        writer.println("leaderboard: " + new SearchFolder(out).page());
        writer.flush();
    }

    /** The live leaderboard: a line for each trial, and the best after it. */
    private static void show(SearchEvent event, PrintWriter out) {
        if (event instanceof SearchEvent.Started started) {
            out.println(started.candidate().label() + " on " + started.images() + " images ("
                    + started.candidate().name() + ")");
        } else if (event instanceof SearchEvent.Scored scored) {
            out.println(Text.format(
                    "  %.2f %% after %s", 100 * scored.trial().accuracy(), Text.duration(scored.seconds())));
            table(scored.board().rows().stream().limit(SHOWN).toList()).forEach(out::println);
        } else if (event instanceof SearchEvent.Decided decided) {
            out.println(decided.sentence());
        }
        out.flush();
    }

    private static List<String> table(List<Leaderboard.Row> rows) {
        return Stream.concat(
                        Stream.of(Text.format(
                                "  %4s  %-16s %7s %9s %10s %9s  %s",
                                "rank", "accuracy", "images", "ms/image", "dimensions", "model", "candidate")),
                        rows.stream().map(SearchCommand::line))
                .toList();
    }

    private static String line(Leaderboard.Row row) {
        return Text.format(
                "  %4d  %6.2f ± %.2f %% %8d %9.1f %,10d %6d MB  %s",
                row.rank(),
                100 * row.accuracy().mean(),
                100 * row.accuracy().halfInterval(),
                row.trial().images(),
                row.trial().millis(),
                row.trial().dimensions(),
                row.trial().modelBytes() >> 20,
                row.candidate().name());
    }
}
