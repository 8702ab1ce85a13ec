package io.github.gramian.cli.model;

import static java.util.Map.entry;

import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.eval.ConfidenceInterval;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.internal.Ranking;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gramian compare}: runs by accuracy. */
@Command(
        name = "compare",
        description = {
            "Ranks runs by their accuracy on the test images.",
            "All intervals are 95 %% intervals over the test images. Those of differences are paired: they compare each run",
            "with the best one on the same images. p is that of McNemar's exact test on these images. Neither covers what",
            "another seed would change: several seeds on the same test images are not independent runs.",
            "Runs under incompatible protocols are rejected."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian compare runs/first runs/second",
            "  gramian compare runs/* --allow-incompatible --json"
        })
public final class CompareCommand extends PrintingCommand {

    @Parameters(
            arity = "1..*",
            paramLabel = "RUN",
            description = "Run directories, or directories from 'gramian evaluate --out'.")
    private List<Path> folders = new ArrayList<>();

    @Option(
            names = "--allow-incompatible",
            description = "Rank incompatible runs nevertheless, and print how their protocols differ.")
    private boolean allowIncompatible;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    /** A line of the ranking in JSON. */
    private record Line(
            int rank,
            String name,
            double accuracy,
            ConfidenceInterval interval,
            double differenceToBest,
            Ranking.@Nullable OnSameImages againstBest,
            EvaluationProtocol passport) {

        private static Line of(Ranking.Entry entry) {
            Ranking.RunSummary run = entry.run();
            return new Line(
                    entry.rank(),
                    run.name(),
                    run.accuracy(),
                    run.interval(),
                    entry.differenceToBest(),
                    entry.againstBest(),
                    run.protocol());
        }
    }

    @Override
    public Integer call() throws IOException {
        List<Ranking.RunSummary> runs = new ArrayList<>();
        for (Path folder : folders) {
            runs.add(ScoresFile.summary(new RunFolder(folder), folder.toString()));
        }
        Ranking ranking = allowIncompatible ? Ranking.allowingUnlike(runs) : fair(runs);
        print(
                json,
                () -> Json.members(
                        entry("runs", ranking.entries().stream().map(Line::of).toList()),
                        entry("unlikeFields", ranking.unlikeFields())),
                out -> print(ranking, out));
        return 0;
    }

    private static Ranking fair(List<Ranking.RunSummary> runs) {
        try {
            return Ranking.of(runs);
        } catch (Ranking.IncompatibleProtocolsException e) {
            String fields = e.differences().stream()
                    .map(EvaluationProtocol.Difference::toString)
                    .collect(Collectors.joining("; "));
            throw new IllegalArgumentException(
                    "the runs were measured under incompatible protocols (" + fields
                            + "); evaluate them under one protocol, or rank them nevertheless with --allow-incompatible",
                    e);
        }
    }

    private static void print(Ranking ranking, PrintWriter out) {
        out.println("rank  accuracy  over images      to best  over images     p       run");
        for (Ranking.Entry entry : ranking.entries()) {
            ConfidenceInterval interval = entry.run().interval();
            Ranking.OnSameImages pair = entry.againstBest();
            out.println(Text.format(
                    "%4d  %6.2f %%  %6.2f..%6.2f  %7s  %-14s  %-6s  %s",
                    entry.rank(),
                    100 * entry.run().accuracy(),
                    100 * interval.lower(),
                    100 * interval.upper(),
                    entry.differenceToBest() == 0 ? "" : Text.format("%.2f", 100 * entry.differenceToBest()),
                    pair == null
                            ? ""
                            : Text.format(
                                    "%+.2f..%+.2f",
                                    100 * pair.difference().lower(),
                                    100 * pair.difference().upper()),
                    pair == null ? "" : Text.format("%.4f", pair.test().p()),
                    entry.run().name()));
        }
        if (!ranking.unlikeFields().isEmpty()) {
            out.println("incompatible protocols, they differ in: " + String.join(", ", ranking.unlikeFields()));
        }
    }
}
