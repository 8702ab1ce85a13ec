package io.github.gramian.similar.bench;

import io.github.gramian.cli.Below;
import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.json.internal.Json;
import io.github.gramian.similar.index.internal.IndexFolder;
import io.github.gramian.similar.index.internal.VectorIndex;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gramian bench similar}: recall and speed of an index of many vectors. */
@Command(
        name = "similar",
        description = {
            "Measures recall and speed of searches in a large index.",
            "Draws vectors around those of an index, or around random centres, indexes them, and compares the ten"
                    + " nearest with exact search."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench similar --vectors 100000",
            "  gramian bench similar --like photos.index --vectors 1000000 --json"
        })
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchSimilarCommand extends PrintingCommand implements Subcommand {

    @Option(
            names = "--vectors",
            defaultValue = "100000",
            description = "Number of vectors (default: ${DEFAULT-VALUE}).")
    private int vectors;

    @Option(names = "--queries", defaultValue = "1000", description = "Number of queries (default: ${DEFAULT-VALUE}).")
    private int queries;

    @Option(
            names = "--dimensions",
            defaultValue = "256",
            description = "Number of dimensions without --like (default: ${DEFAULT-VALUE}).")
    private int dimensions;

    @Option(
            names = "--candidates",
            split = ",",
            defaultValue = "50,100,200",
            description = "Candidate counts of a search (default: ${DEFAULT-VALUE}).")
    private List<Integer> candidates;

    @Option(
            names = "--like",
            paramLabel = "INDEX",
            description = "Index of real photographs, around which vectors are drawn.")
    private @Nullable Path like;

    @Option(names = "--seed", defaultValue = "1", description = "Random seed (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (vectors < 10 || queries < 1) {
            throw new IllegalArgumentException("--vectors must be at least 10 and --queries at least 1, but they are "
                    + vectors + " and " + queries);
        }
        Random random = new Random(seed);
        VectorMixture mixture =
                like == null ? VectorMixture.random(dimensions, random) : VectorMixture.around(stored(like));
        int cores = Runtime.getRuntime().availableProcessors();
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            SearchBenchmark benchmark =
                    new SearchBenchmark(mixture.draw(vectors, random), mixture.draw(queries, random), folder.path());
            SearchBenchmark.Build build = build(benchmark);
            stage("finding the exact neighbours of " + queries + " queries");
            List<Set<Integer>> exact = benchmark.exact(cores);
            List<SearchBenchmark.Search> searches = new ArrayList<>();
            for (int one : candidates) {
                stage("searching with " + one + " candidates");
                searches.add(benchmark.search(exact, one, 1));
                searches.add(benchmark.search(exact, one, 2));
            }
            print(build, searches);
        }
        return 0;
    }

    private SearchBenchmark.Build build(SearchBenchmark benchmark) throws IOException {
        try (Progress progress = new Progress("adding", "vectors", vectors, stderr(), quiet || json)) {
            return benchmark.build(
                    added -> {
                        progress.done(added);
                        if (added == vectors) {
                            stage("writing the index");
                        }
                    },
                    () -> stage("merging the graphs"));
        }
    }

    private void stage(String task) {
        if (!quiet && !json) {
            stderr().println(task);
            stderr().flush();
        }
    }

    private static List<float[]> stored(Path path) throws IOException {
        IndexFolder folder = new IndexFolder(path);
        try (VectorIndex index = VectorIndex.open(folder, folder.settings().manifest())) {
            return index.vectors();
        }
    }

    private void print(SearchBenchmark.Build build, List<SearchBenchmark.Search> searches) {
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, Json.members(Map.entry("build", build), Map.entry("searches", searches)));
            return;
        }
        out.println(String.format(
                Locale.ROOT,
                "%d vectors of %d dimensions built in %.0f s, %d segments, %.0f bytes per vector",
                build.vectors(),
                build.dimensions(),
                build.seconds(),
                build.segments(),
                build.bytesPerVector()));
        for (SearchBenchmark.Search search : searches) {
            out.println(String.format(
                    Locale.ROOT,
                    "%4d candidates, %d threads: recall at 10 %.4f, %d queries without any, p50 %.2f ms, p99 %.2f ms,"
                            + " %.0f per second",
                    search.candidates(),
                    search.threads(),
                    search.recall(),
                    search.without(),
                    search.p50(),
                    search.p99(),
                    search.perSecond()));
        }
        out.flush();
    }
}
