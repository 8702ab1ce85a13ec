package io.github.gramian.similar.bench;

import io.github.gramian.io.internal.ParallelWork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * How well images of the same class are found: every image is the query once, all others are ranked by exact inner products, and
 * those of its class are relevant.
 *
 * @param averagePrecision of each query
 * @param first of each query, 1 if its nearest image is of its class
 * @param ten of each query, 1 if one of its ten nearest images is of its class
 */
record Retrieval(List<Double> averagePrecision, List<Double> first, List<Double> ten) {

    private static final int TEN = 10;

    /** Ranks all images by their vectors, which have length 1. Queries without another image of their class are left out. */
    static Retrieval of(List<float[]> vectors, int[] labels, int threads) {
        List<Integer> queries = IntStream.range(0, labels.length)
                .filter(query -> IntStream.of(labels)
                                .filter(label -> label == labels[query])
                                .count()
                        > 1)
                .boxed()
                .toList();
        List<double[]> found = ParallelWork.map(queries, threads, query -> one(query, vectors, labels));
        return new Retrieval(column(found, 0), column(found, 1), column(found, 2));
    }

    private static List<Double> column(List<double[]> rows, int column) {
        return rows.stream().map(row -> row[column]).toList();
    }

    private static double[] one(int query, List<float[]> vectors, int[] labels) {
        float[] own = vectors.get(query);
        double[] similarity = new double[labels.length];
        for (int i = 0; i < similarity.length; i++) {
            float[] other = vectors.get(i);
            float sum = 0;
            for (int d = 0; d < own.length; d++) {
                sum += own[d] * other[d];
            }
            similarity[i] = sum;
        }
        int[] order = IntStream.range(0, labels.length)
                .filter(i -> i != query)
                .boxed()
                .sorted((i, j) -> similarity[i] != similarity[j]
                        ? Double.compare(similarity[j], similarity[i])
                        : Integer.compare(i, j))
                .mapToInt(Integer::intValue)
                .toArray();
        int relevant = 0;
        double precisions = 0;
        boolean inTen = false;
        for (int rank = 1; rank <= order.length; rank++) {
            if (labels[order[rank - 1]] == labels[query]) {
                precisions += (double) ++relevant / rank;
                inTen |= rank <= TEN;
            }
        }
        return new double[] {
            precisions / relevant, labels[order[0]] == labels[query] ? 1 : 0, inTen ? 1 : 0,
        };
    }

    /** A mean with its 95 % interval, from a percentile bootstrap over queries with a fixed seed. */
    record Interval(double mean, double lower, double upper) {

        private static final int RESAMPLES = 2000;
        private static final double OUTSIDE = 0.025;

        static Interval of(List<Double> queries) {
            double[] values = queries.stream().mapToDouble(Double::doubleValue).toArray();
            SplittableRandom random = new SplittableRandom(1);
            double[] means = new double[RESAMPLES];
            for (int resample = 0; resample < RESAMPLES; resample++) {
                double sum = 0;
                for (int i = 0; i < values.length; i++) {
                    sum += values[random.nextInt(values.length)];
                }
                means[resample] = sum / values.length;
            }
            Arrays.sort(means);
            return new Interval(
                    Arrays.stream(values).average().orElseThrow(),
                    means[(int) (OUTSIDE * RESAMPLES)],
                    means[(int) ((1 - OUTSIDE) * RESAMPLES) - 1]);
        }

        List<Double> ends() {
            return List.of(mean, lower, upper);
        }
    }

    /** The mean difference from another retrieval of the same queries in average precision. */
    Interval gain(Retrieval other) {
        List<Double> differences = new ArrayList<>();
        for (int i = 0; i < averagePrecision.size(); i++) {
            differences.add(averagePrecision.get(i) - other.averagePrecision.get(i));
        }
        return Interval.of(differences);
    }
}
