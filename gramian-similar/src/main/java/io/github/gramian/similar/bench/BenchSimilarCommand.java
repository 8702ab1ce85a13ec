package io.github.gramian.similar.bench;

import io.github.gramian.cli.Below;
import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.io.internal.TemporaryFolder;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.similar.index.internal.IndexFolder;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.Photo;
import io.github.gramian.similar.index.internal.VectorIndex;
import io.github.gramian.similar.index.internal.VectorWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.lucene.util.VectorUtil;
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

    private static final int CENTRES = 2000;
    private static final double DECAY = 0.5;

    /** Distance of a vector from its centre, as a share of the centre's length. */
    private static final double SPREAD = 0.7;

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
        List<float[]> centres = like == null ? randomCentres(dimensions, random) : stored(like);
        int cores = Runtime.getRuntime().availableProcessors();
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            SearchBenchmark benchmark = new SearchBenchmark(
                    drawn(centres, vectors, random), drawn(centres, queries, random), folder.path());
            SearchBenchmark.Build build = build(benchmark);
            stage("finding the exact neighbours of " + queries + " queries");
            List<Set<Integer>> exact = benchmark.exact(cores);
            List<SearchBenchmark.Search> searches = new ArrayList<>();
            for (int one : candidates) {
                stage("searching with " + one + " candidates");
                searches.add(benchmark.search(exact, one, 1));
                searches.add(benchmark.search(exact, one, 2));
            }
            print(
                    json,
                    () -> Json.members(Map.entry("build", build), Map.entry("searches", searches)),
                    text -> print(text, build, searches));
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

    private static void print(PrintWriter out, SearchBenchmark.Build build, List<SearchBenchmark.Search> searches) {
        out.println(Text.format(
                "%d vectors of %d dimensions built in %.0f s, %d segments, %.0f bytes per vector",
                build.vectors(), build.dimensions(), build.seconds(), build.segments(), build.bytesPerVector()));
        for (SearchBenchmark.Search search : searches) {
            out.println(Text.format(
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
    }

    /** Centres of length 1 with a decaying spectrum: their standard deviation along axis i is 1 / √i before they are scaled. */
    private static List<float[]> randomCentres(int dimensions, Random random) {
        List<float[]> centres = new ArrayList<>();
        for (int i = 0; i < CENTRES; i++) {
            float[] centre = new float[dimensions];
            for (int d = 0; d < dimensions; d++) {
                centre[d] = (float) (random.nextGaussian() * Math.pow(1.0 + d, -DECAY));
            }
            centres.add(VectorUtil.l2normalize(centre));
        }
        return centres;
    }

    /** Vectors of length 1 around these centres. */
    private static List<float[]> drawn(List<float[]> centres, int count, Random random) {
        List<float[]> drawn = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            float[] centre = centres.get(random.nextInt(centres.size()));
            float[] vector = new float[centre.length];
            double scale = SPREAD / Math.sqrt(centre.length);
            for (int d = 0; d < vector.length; d++) {
                vector[d] = (float) (centre[d] + scale * random.nextGaussian());
            }
            drawn.add(VectorUtil.l2normalize(vector));
        }
        return drawn;
    }

    /** Recall and speed of an index of many vectors, compared with exact search. */
    private static final class SearchBenchmark {

        private static final int TOP = 10;
        private static final int DIGITS = 64;

        private final List<float[]> vectors;
        private final List<float[]> queries;
        private final IndexFolder folder;
        private final Manifest manifest;

        /** @param folder an empty directory for the index */
        SearchBenchmark(List<float[]> vectors, List<float[]> queries, Path folder) {
            this.vectors = vectors;
            this.queries = queries;
            this.folder = new IndexFolder(folder);
            this.manifest = new Manifest("none", "0".repeat(DIGITS), "none", vectors.get(0).length);
        }

        /** Time to build an index, and its size. */
        record Build(int vectors, int dimensions, int segments, double seconds, double bytesPerVector) {}

        /**
         * Searches with one number of candidates.
         *
         * @param recall share of the ten nearest vectors that were found
         * @param without number of queries that found none of them
         * @param p50 median latency in milliseconds
         */
        record Search(
                int candidates, int threads, double recall, int without, double p50, double p99, double perSecond) {}

        /**
         * Builds an index of all vectors.
         *
         * @param added called with the number of vectors so far
         * @param merging called if the index has several segments, before they become one
         */
        Build build(LongConsumer added, Runnable merging) throws IOException {
            Files.createDirectories(folder.path().resolve("lucene"));
            long start = System.nanoTime();
            try (VectorWriter writer = VectorWriter.open(folder, "", Integer.MAX_VALUE)) {
                for (int i = 0; i < vectors.size(); i++) {
                    writer.add(new Photo(Integer.toString(i), Integer.toHexString(i), i, i), vectors.get(i), manifest);
                    added.accept(i + 1);
                }
                writer.finish(manifest, true, merging);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            long bytes;
            try (Stream<Path> files = Files.walk(folder.path())) {
                bytes = files.filter(Files::isRegularFile)
                        .mapToLong(file -> file.toFile().length())
                        .sum();
            }
            try (VectorIndex index = VectorIndex.open(folder, manifest)) {
                return new Build(
                        vectors.size(),
                        vectors.get(0).length,
                        index.segments(),
                        seconds,
                        (double) bytes / vectors.size());
            }
        }

        /** The exact neighbours of all queries. */
        List<Set<Integer>> exact(int threads) {
            return ParallelWork.map(queries, threads, query -> {
                float[] products = new float[vectors.size()];
                PriorityQueue<Integer> best = new PriorityQueue<>(Comparator.comparing(i -> products[i]));
                for (int i = 0; i < products.length; i++) {
                    products[i] = VectorUtil.dotProduct(query, vectors.get(i));
                    best.add(i);
                    if (best.size() > TOP) {
                        best.remove();
                    }
                }
                return new HashSet<>(best);
            });
        }

        private record Answer(double milliseconds, int found) {}

        /** Runs all queries once to warm the caches, and once to measure. */
        Search search(List<Set<Integer>> exact, int candidates, int threads) throws IOException {
            try (VectorIndex index = VectorIndex.open(folder, manifest)) {
                List<Integer> all = IntStream.range(0, queries.size()).boxed().toList();
                ParallelWork.map(all, threads, query -> answer(index, query, candidates, exact));
                long start = System.nanoTime();
                List<Answer> answers = ParallelWork.map(all, threads, query -> answer(index, query, candidates, exact));
                double seconds = (System.nanoTime() - start) / 1e9;
                double[] times = answers.stream()
                        .mapToDouble(Answer::milliseconds)
                        .sorted()
                        .toArray();
                return new Search(
                        candidates,
                        threads,
                        answers.stream().mapToInt(Answer::found).average().orElseThrow() / TOP,
                        (int) answers.stream().filter(one -> one.found() == 0).count(),
                        times[times.length / 2],
                        times[(int) (0.99 * (times.length - 1))],
                        times.length / seconds);
            }
        }

        private Answer answer(VectorIndex index, int query, int candidates, List<Set<Integer>> exact) {
            try {
                long start = System.nanoTime();
                List<VectorIndex.Neighbour> found = index.search(queries.get(query), TOP, null, candidates);
                double milliseconds = (System.nanoTime() - start) / 1e6;
                List<Integer> ids = new ArrayList<>();
                found.forEach(near -> ids.add(Integer.parseInt(near.photo().path())));
                ids.retainAll(exact.get(query));
                return new Answer(milliseconds, ids.size());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
