package io.github.gramian.lab;

import io.github.gramian.cli.Below;
import io.github.gramian.cli.train.RecipeOptions;
import io.github.gramian.cli.train.RecipeSettings;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.io.internal.Text;
import io.github.gramian.label.internal.DatasetFeatures;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.similar.vector.internal.PrincipalFit;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gramian bench retrieval}: which descriptor finds images of the same class. */
@Command(
        name = "retrieval",
        description = {
            "Measures which descriptors find images of the same class.",
            "Every image is the query once. All others are ranked by exact search. Prints the mean average precision"
                    + " and the recall at 1 and 10 of five methods, for several dimensions.",
            "Principal components are fitted to a sample of the same images, without labels. A small data set supports"
                    + " one component per four images."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench retrieval --images cub20/ --backbone resnet50.safetensors --cache features/",
            "  gramian bench retrieval --images dtd/ --backbone resnet50.safetensors --cache features/ --json"
        })
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchRetrievalCommand extends LabCommand.OnFeatures {

    private static final String ROOT = "root: {kind: newton-schulz, iterations: 5}";

    /** Methods by name; the first is what the others are compared with. */
    private static final Map<String, String> METHODS = methods();

    @Mixin
    private RecipeOptions options;

    @Option(
            names = "--dimensions",
            split = ",",
            defaultValue = "128,256,512",
            description = "Dimensions after the reduction (default: ${DEFAULT-VALUE}).")
    private List<Integer> dimensions;

    private static Map<String, String> methods() {
        Map<String, String> methods = new LinkedHashMap<>();
        methods.put("average", "{convolution: 0, aggregator: average, descriptor: {powerEpsilon: -1}}");
        methods.put("bilinear", "{aggregator: {aggregation: {kernel: linear}}}");
        methods.put(
                "isqrt-cov",
                "{aggregator: {aggregation: {kernel: covariance}, " + ROOT + "}, descriptor: {powerEpsilon: -1}}");
        methods.put("kernel", "{aggregator: spd}");
        methods.put("kernel-root", "{aggregator: {" + ROOT + "}, descriptor: {powerEpsilon: -1}}");
        return methods;
    }

    /**
     * One method at one number of dimensions; each list has the mean and the ends of its 95 % interval over queries.
     *
     * @param gain in mean average precision over the first method at the same setting
     */
    record Row(
            String method,
            int asked,
            int dimensions,
            int queries,
            List<Double> meanAveragePrecision,
            List<Double> recallAt1,
            List<Double> recallAt10,
            List<Double> gain) {}

    @Override
    public Integer call() throws IOException {
        List<Row> rows = new ArrayList<>();
        Map<Integer, Retrieval> baselines = new LinkedHashMap<>();
        for (Map.Entry<String, String> method : METHODS.entrySet()) {
            Recipe recipe = options.recipe("network: {branches: [" + method.getValue() + "]}", new RecipeSettings());
            Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
            try (TrainingProgress progress = progress();
                    DatasetFeatures features = DatasetFeatures.of(dataset, recipe, cache(), progress)) {
                int[] labels =
                        features.readable().stream().mapToInt(Sample::label).toArray();
                rows.addAll(measured(method.getKey(), features.descriptors(), labels, baselines));
            }
        }
        report(rows, out -> print(out, rows));
        return 0;
    }

    private List<Row> measured(
            String method, List<float[]> described, int[] labels, Map<Integer, Retrieval> baselines) {
        int threads = Runtime.getRuntime().availableProcessors();
        int most = dimensions.stream().mapToInt(Integer::intValue).max().orElseThrow();
        PrincipalFit fit = PrincipalFit.of(sample(described), most, threads);
        List<Row> rows = new ArrayList<>();
        for (int asked : dimensions) {
            Reduction reduction = fit.whitened(asked);
            List<float[]> vectors =
                    described.stream().parallel().map(reduction::apply).toList();
            Retrieval retrieval = Retrieval.of(vectors, labels, threads);
            baselines.putIfAbsent(asked, retrieval);
            rows.add(new Row(
                    method,
                    asked,
                    reduction.dimensions(),
                    retrieval.first().size(),
                    Retrieval.interval(retrieval.averagePrecision()),
                    Retrieval.interval(retrieval.first()),
                    Retrieval.interval(retrieval.ten()),
                    retrieval.gain(Objects.requireNonNull(baselines.get(asked)))));
        }
        return rows;
    }

    /** Copies, since a fit centres them in place. */
    private static List<float[]> sample(List<float[]> rows) {
        int size = PrincipalFit.sampleSize(rows.get(0).length);
        List<float[]> sample = new ArrayList<>(rows);
        SplittableRandom random = new Seed(1).child("sample").random();
        for (int i = 0; i < Math.min(size, sample.size()); i++) {
            int other = i + random.nextInt(sample.size() - i);
            float[] swapped = sample.get(i);
            sample.set(i, sample.get(other));
            sample.set(other, swapped);
        }
        return sample.stream().limit(size).map(float[]::clone).toList();
    }

    private static void print(PrintWriter out, List<Row> rows) {
        out.println(rows.get(0).queries() + " queries; 95 % intervals over queries in parentheses");
        for (Row row : rows) {
            out.println(Text.format(
                    "%-12s %4d dimensions  mAP %s  recall at 1 %s, at 10 %s  gain %s",
                    row.method(),
                    row.dimensions(),
                    percent(row.meanAveragePrecision()),
                    percent(row.recallAt1()),
                    percent(row.recallAt10()),
                    percent(row.gain())));
        }
    }

    private static String percent(List<Double> ends) {
        return Text.format("%.1f (%.1f to %.1f)", 100 * ends.get(0), 100 * ends.get(1), 100 * ends.get(2));
    }

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
        private static final int RESAMPLES = 2000;
        private static final double OUTSIDE = 0.025;

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
        static List<Double> interval(List<Double> queries) {
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
            return List.of(
                    Arrays.stream(values).average().orElseThrow(),
                    means[(int) (OUTSIDE * RESAMPLES)],
                    means[(int) ((1 - OUTSIDE) * RESAMPLES) - 1]);
        }

        /** The mean difference from another retrieval of the same queries in average precision. */
        List<Double> gain(Retrieval other) {
            List<Double> differences = new ArrayList<>();
            for (int i = 0; i < averagePrecision.size(); i++) {
                differences.add(averagePrecision.get(i) - other.averagePrecision.get(i));
            }
            return interval(differences);
        }
    }
}
