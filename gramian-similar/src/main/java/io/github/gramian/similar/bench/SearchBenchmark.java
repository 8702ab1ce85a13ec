package io.github.gramian.similar.bench;

import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.similar.index.internal.IndexFolder;
import io.github.gramian.similar.index.internal.Manifest;
import io.github.gramian.similar.index.internal.Photo;
import io.github.gramian.similar.index.internal.VectorIndex;
import io.github.gramian.similar.index.internal.VectorWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Recall and speed of an index of many vectors, compared with exact search. */
final class SearchBenchmark {

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
    record Search(int candidates, int threads, double recall, int without, double p50, double p99, double perSecond) {}

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
                    vectors.size(), vectors.get(0).length, index.segments(), seconds, (double) bytes / vectors.size());
        }
    }

    /** The exact neighbours of all queries. */
    List<Set<Integer>> exact(int threads) {
        return ParallelWork.map(queries, threads, query -> {
            float[] best = new float[TOP];
            int[] ids = new int[TOP];
            Arrays.fill(best, Float.NEGATIVE_INFINITY);
            for (int i = 0; i < vectors.size(); i++) {
                insert(dot(query, vectors.get(i)), i, best, ids);
            }
            Set<Integer> set = new HashSet<>();
            IntStream.of(ids).forEach(set::add);
            return set;
        });
    }

    private static void insert(float value, int id, float[] best, int[] ids) {
        int at = best.length - 1;
        if (value <= best[at]) {
            return;
        }
        while (at > 0 && best[at - 1] < value) {
            best[at] = best[at - 1];
            ids[at] = ids[at - 1];
            at--;
        }
        best[at] = value;
        ids[at] = id;
    }

    private static float dot(float[] one, float[] other) {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        int i = 0;
        for (; i + 3 < one.length; i += 4) {
            a += one[i] * other[i];
            b += one[i + 1] * other[i + 1];
            c += one[i + 2] * other[i + 2];
            d += one[i + 3] * other[i + 3];
        }
        for (; i < one.length; i++) {
            a += one[i] * other[i];
        }
        return a + b + c + d;
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
            double[] times =
                    answers.stream().mapToDouble(Answer::milliseconds).sorted().toArray();
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
