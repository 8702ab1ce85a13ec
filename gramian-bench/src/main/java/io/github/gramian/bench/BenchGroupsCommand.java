package io.github.gramian.bench;

import io.github.gramian.bench.quality.Crops;
import io.github.gramian.bench.quality.GroupBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.label.internal.DescribedImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How much too high an accuracy is if photographs of one object stand on both sides. */
@Command(
        name = "groups",
        description = {
            "Measures the error of accuracies that ignore groups.",
            "If several photographs show the same object, such an accuracy is too high.",
            "Makes several crops of each image and trains on the crops of some images.",
            "Compares the accuracy by leaving out one crop, or all crops of an image, with the accuracy on crops of"
                    + " other images."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Example:",
            "  gramian bench groups --images photos/ --backbone resnet50.safetensors --cache features/ --out crops/"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchGroupsCommand extends PrintingCommand {

    /** Of the image's sides: crops of one image overlap, as photographs of one object do. */
    private static final double SIDE = 0.7;

    @Mixin
    private RecipeFileOptions options;

    @Option(names = "--cache", required = true, description = "Directory of the feature cache.")
    private Path cache;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            required = true,
            description = "Directory for the crops and their manifest with a column 'group'.")
    private Path out;

    @Option(
            names = "--objects",
            defaultValue = "15",
            description = "Number of images per class that are cropped (default: ${DEFAULT-VALUE}).")
    private int objects;

    @Option(
            names = "--train",
            defaultValue = "5",
            description = "Number of images per class whose crops are trained on (default: ${DEFAULT-VALUE}).")
    private int train;

    @Option(
            names = "--crops",
            defaultValue = "5",
            description = "Number of crops per image (default: ${DEFAULT-VALUE}).")
    private int crops;

    @Option(
            names = "--seeds",
            defaultValue = "5",
            description = "Number of draws of images to train on (default: ${DEFAULT-VALUE}).")
    private int seeds;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (train < 2 || objects <= train || crops < 1 || seeds < 2) {
            throw new IllegalArgumentException(
                    "--train and --seeds must be at least 2, --objects larger than --train and --crops at least 1, but"
                            + " they are " + train + ", " + seeds + ", " + objects + " and " + crops);
        }
        Recipe whole = options.recipe();
        Files.createDirectories(out);
        Path manifest = new Crops(crops, SIDE).write(open(whole), objects, out, new Seed(1));
        Recipe recipe = whole.with("data.images", manifest.toString()).with("data.layout", "csv");
        Dataset dataset = open(recipe);
        try (TrainingProgress progress = new TrainingProgress(stderr(), quiet || json);
                DescribedImages described = DescribedImages.of(dataset, recipe, cache, progress)) {
            int[] truth = described.samples().stream().mapToInt(Sample::label).toArray();
            print(new GroupBenchmark(described.rows(), truth, described.groups()).run(train, seeds));
        }
        return 0;
    }

    private static Dataset open(Recipe recipe) {
        return recipe.data().open(new Seed(recipe.seed()));
    }

    private void print(List<GroupBenchmark.Draw> draws) {
        PrintWriter text = stdout();
        if (json) {
            JsonOutput.print(text, draws);
            return;
        }
        text.println(draws.size() + " draws; ± is the standard error over draws");
        text.println("                  measured         on new objects   difference");
        row(text, "without groups", draws, GroupBenchmark.Draw::withoutGroups, GroupBenchmark.Draw::newWithoutGroups);
        row(text, "with groups", draws, GroupBenchmark.Draw::withGroups, GroupBenchmark.Draw::newWithGroups);
        text.flush();
    }

    private static void row(
            PrintWriter text,
            String title,
            List<GroupBenchmark.Draw> draws,
            ToDoubleFunction<GroupBenchmark.Draw> measured,
            ToDoubleFunction<GroupBenchmark.Draw> right) {
        text.println(String.format(
                Locale.ROOT,
                "%-17s %s   %s   %s",
                title,
                percent(draws, measured),
                percent(draws, right),
                percent(draws, draw -> measured.applyAsDouble(draw) - right.applyAsDouble(draw))));
    }

    private static String percent(List<GroupBenchmark.Draw> draws, ToDoubleFunction<GroupBenchmark.Draw> of) {
        Spread spread = Spread.of(draws.stream().mapToDouble(of).boxed().toList());
        return String.format(
                Locale.ROOT,
                "%5.1f ± %.1f %%",
                100 * spread.mean(),
                100 * spread.deviation() / Math.sqrt(spread.runs()));
    }
}
