package io.github.gramian.similar.bench;

import io.github.gramian.cli.Below;
import io.github.gramian.cli.Subcommand;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.RecipeOptions;
import io.github.gramian.cli.train.RecipeSettings;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.label.internal.DatasetDescriptors;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.similar.vector.internal.PrincipalFit;
import io.github.gramian.similar.vector.internal.Reduction;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
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
public final class BenchRetrievalCommand extends PrintingCommand implements Subcommand {

    private static final String ROOT = "root: {kind: newton-schulz, iterations: 5}";

    /** Methods by name; the first is what the others are compared with. */
    private static final Map<String, String> METHODS = methods();

    @Mixin
    private RecipeOptions options;

    @Option(names = "--cache", required = true, description = "Directory of the feature cache.")
    private Path cache;

    @Option(
            names = "--dimensions",
            split = ",",
            defaultValue = "128,256,512",
            description = "Dimensions after the reduction (default: ${DEFAULT-VALUE}).")
    private List<Integer> dimensions;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

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
            DatasetDescriptors described;
            try (TrainingProgress progress = new TrainingProgress(stderr(), quiet || json)) {
                described = DatasetDescriptors.of(dataset, recipe, cache, progress);
            }
            rows.addAll(measured(method.getKey(), described, baselines));
        }
        print(rows);
        return 0;
    }

    private List<Row> measured(String method, DatasetDescriptors described, Map<Integer, Retrieval> baselines) {
        int threads = Runtime.getRuntime().availableProcessors();
        int[] labels = described.samples().stream().mapToInt(Sample::label).toArray();
        int most = dimensions.stream().mapToInt(Integer::intValue).max().orElseThrow();
        PrincipalFit fit = PrincipalFit.of(sample(described.rows()), most, threads);
        List<Row> rows = new ArrayList<>();
        for (int asked : dimensions) {
            Reduction reduction = fit.whitened(asked);
            List<float[]> vectors =
                    described.rows().stream().parallel().map(reduction::apply).toList();
            Retrieval retrieval = Retrieval.of(vectors, labels, threads);
            baselines.putIfAbsent(asked, retrieval);
            rows.add(new Row(
                    method,
                    asked,
                    reduction.dimensions(),
                    retrieval.first().size(),
                    Retrieval.Interval.of(retrieval.averagePrecision()).ends(),
                    Retrieval.Interval.of(retrieval.first()).ends(),
                    Retrieval.Interval.of(retrieval.ten()).ends(),
                    retrieval.gain(Objects.requireNonNull(baselines.get(asked))).ends()));
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

    private void print(List<Row> rows) {
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, rows);
            return;
        }
        out.println(rows.get(0).queries() + " queries; 95 % intervals over queries in parentheses");
        for (Row row : rows) {
            out.println(String.format(
                    Locale.ROOT,
                    "%-12s %4d dimensions  mAP %s  recall at 1 %s, at 10 %s  gain %s",
                    row.method(),
                    row.dimensions(),
                    percent(row.meanAveragePrecision()),
                    percent(row.recallAt1()),
                    percent(row.recallAt10()),
                    percent(row.gain())));
        }
        out.flush();
    }

    private static String percent(List<Double> ends) {
        return String.format(
                Locale.ROOT, "%.1f (%.1f to %.1f)", 100 * ends.get(0), 100 * ends.get(1), 100 * ends.get(2));
    }
}
