package io.github.gramian.bench;

import io.github.gramian.bench.quality.AnnotatorBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.label.internal.ReducedDescriptors;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How many labels are saved by labelling the images that a session asks for. */
@Command(
        name = "annotate",
        description = {
            "Measures how many labels are saved by choosing the images.",
            "A simulated annotator labels the training images that a labelling session asks for, or random ones. After"
                    + " each round, the session's classifier predicts the test images. Both use the same descriptors,"
                    + " which are made without labels."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench annotate --images photos/ --backbone resnet50.safetensors --cache features/",
            "  gramian bench annotate --images dtd/ --backbone resnet50.safetensors --cache features/ --round 45 --json"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchAnnotateCommand extends PrintingCommand {

    @Mixin
    private RecipeFileOptions options;

    @Option(names = "--cache", required = true, description = "Directory of the feature cache.")
    private Path cache;

    @Option(
            names = "--per-class",
            defaultValue = "20",
            description =
                    "Number of random labels per class whose accuracy is to be reached (default: ${DEFAULT-VALUE}).")
    private int perClass;

    @Option(
            names = "--round",
            defaultValue = "10",
            description = "Number of labels between two suggestions (default: ${DEFAULT-VALUE}).")
    private int round;

    @Option(
            names = "--seeds",
            defaultValue = "5",
            description = "Number of draws of training images (default: ${DEFAULT-VALUE}).")
    private int seeds;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (perClass < 1 || round < 1 || seeds < 2) {
            throw new IllegalArgumentException("--per-class and --round must be at least 1 and --seeds at least 2, but"
                    + " they are " + perClass + ", " + round + " and " + seeds);
        }
        Recipe recipe = options.recipe();
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        AnnotatorBenchmark benchmark;
        try (TrainingProgress progress = new TrainingProgress(stderr(), quiet || json)) {
            ReducedDescriptors described = ReducedDescriptors.of(dataset, recipe, cache, progress, (steps, all) -> {});
            benchmark = benchmark(dataset, described);
        }
        int labels = perClass * dataset.classes().size();
        if (labels > benchmark.available()) {
            throw new IllegalArgumentException("a draw has " + benchmark.available() + " training images, but " + labels
                    + " labels are requested; lower --per-class");
        }
        print(benchmark.run(labels, seeds), labels, dataset.classes().size());
        return 0;
    }

    private AnnotatorBenchmark benchmark(Dataset dataset, ReducedDescriptors described) {
        Set<Sample> test = Set.copyOf(dataset.samples(Split.TEST));
        boolean[] heldOut = new boolean[described.samples().size()];
        int[] truth = new int[heldOut.length];
        for (int image = 0; image < heldOut.length; image++) {
            Sample sample = described.samples().get(image);
            truth[image] = sample.label();
            heldOut[image] = test.contains(sample);
        }
        return new AnnotatorBenchmark(described.values(), truth, heldOut, round);
    }

    private void print(List<AnnotatorBenchmark.Point> points, int labels, int classes) {
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, points);
            return;
        }
        out.println(seeds + " draws; ± is the standard error over draws");
        out.println("labels   chosen          random          difference");
        for (AnnotatorBenchmark.Point point : points) {
            out.println(String.format(
                    Locale.ROOT,
                    "%-8d %s   %s   %s",
                    point.labels(),
                    percent(point.chosen()),
                    percent(point.random()),
                    percent(point.difference())));
        }
        OptionalInt needed = AnnotatorBenchmark.needed(points, labels);
        out.println(
                needed.isEmpty()
                        ? "chosen labels do not reach the accuracy of " + labels + " random labels"
                        : String.format(
                                Locale.ROOT,
                                "%d chosen labels (%.1f per class) reach the accuracy of %d random labels: %.0f %%"
                                        + " saved",
                                needed.getAsInt(),
                                (double) needed.getAsInt() / classes,
                                labels,
                                100 * (1 - (double) needed.getAsInt() / labels)));
        out.flush();
    }

    private static String percent(Spread spread) {
        return String.format(
                Locale.ROOT,
                "%5.1f ± %.1f %%",
                100 * spread.mean(),
                100 * spread.deviation() / Math.sqrt(spread.runs()));
    }
}
