package io.github.gramian.bench;

import io.github.gramian.bench.quality.UnknownBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.layout.internal.Layouts;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How well models recognise unknown images. */
@Command(
        name = "unknown",
        description = {
            "Measures how well models recognise unknown images.",
            "Trains a model per draw without some classes, and prints how often test images of known classes are"
                    + " unknown at a level. Also prints how well the novelty separates them from images of the classes"
                    + " left out and of other directories.",
            "Compares the novelty with the maximum probability, the energy, and two distances on average-pooled"
                    + " features."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench unknown --images cub20/ --backbone resnet50.safetensors --cache features/ --leave-out 5"
                    + " --out runs/unknown",
            "  gramian bench unknown --images kth/ --backbone resnet50.safetensors --cache features/ --outside"
                    + " dtd/images --out runs/unknown --json"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchUnknownCommand extends PrintingCommand {

    @Mixin
    private RecipeFileOptions options;

    @Option(names = "--cache", required = true, description = "Directory of the feature cache.")
    private Path cache;

    @Option(names = "--out", required = true, description = "Directory for the runs.")
    private Path out;

    @Option(names = "--outside", description = "Directory of images that show none of the classes; may be repeated.")
    private List<Path> outside = new ArrayList<>();

    @Option(
            names = "--outside-images",
            defaultValue = "250",
            description = "Number of images to draw from each of these directories (default: ${DEFAULT-VALUE}).")
    private int outsideImages;

    @Option(
            names = "--leave-out",
            defaultValue = "0",
            description = "Number of classes to leave out in each draw (default: ${DEFAULT-VALUE}).")
    private int leaveOut;

    @Option(names = "--draws", defaultValue = "3", description = "Number of draws (default: ${DEFAULT-VALUE}).")
    private int draws;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Recipe recipe = options.recipe();
        if (recipe.stage2().runs() || draws < 1 || leaveOut < 0 || outsideImages < 1) {
            throw new IllegalArgumentException(
                    "the backbone must be frozen, --draws and --outside-images at least 1 and"
                            + " --leave-out at least 0");
        }
        List<Path> others = new ArrayList<>();
        for (Path folder : outside) {
            others.addAll(drawn(folder));
        }
        List<UnknownBenchmark.Draw> found = new ArrayList<>();
        try (TrainingProgress progress = new TrainingProgress(stderr(), quiet || json)) {
            UnknownBenchmark benchmark = new UnknownBenchmark(recipe, cache, out, progress);
            for (int draw = 1; draw <= draws; draw++) {
                Dataset dataset = recipe.data().open(new Seed(draw));
                if (leaveOut >= dataset.classes().size()) {
                    throw new IllegalArgumentException("--leave-out must be below the number of classes, "
                            + dataset.classes().size() + ", but is " + leaveOut);
                }
                found.add(benchmark.run(dataset, others, leaveOut, draw));
            }
        }
        print(found);
        return 0;
    }

    private List<Path> drawn(Path folder) {
        List<Path> images = new ArrayList<>(Layouts.images(folder, note -> stderr().println(note)));
        if (images.isEmpty()) {
            throw new IllegalArgumentException(folder + " contains no images; name a directory with images");
        }
        Collections.shuffle(images, new Random(1));
        return images.subList(0, Math.min(outsideImages, images.size()));
    }

    private void print(List<UnknownBenchmark.Draw> found) {
        PrintWriter writer = stdout();
        if (json) {
            JsonOutput.print(writer, found);
            return;
        }
        UnknownBenchmark.Draw first = found.get(0);
        writer.println(String.format(
                Locale.ROOT,
                "%d draws of %d training, %d test, %d left-out and %d outside images; ± is the standard deviation over"
                        + " draws",
                found.size(),
                first.training(),
                first.known(),
                first.unknown(),
                first.outside()));
        lines(writer, "unknown at level %s, test images", found, UnknownBenchmark.Draw::falseAlarms);
        lines(writer, "unknown at level %s, classes left out", found, UnknownBenchmark.Draw::leftOutFound);
        lines(writer, "unknown at level %s, other directories", found, UnknownBenchmark.Draw::outsideFound);
        lines(writer, "AUROC of classes left out, %s", found, UnknownBenchmark.Draw::leftOutAuroc);
        lines(writer, "AUROC of other directories, %s", found, UnknownBenchmark.Draw::outsideAuroc);
        writer.flush();
    }

    private static void lines(
            PrintWriter writer,
            String title,
            List<UnknownBenchmark.Draw> found,
            Function<UnknownBenchmark.Draw, Map<String, Double>> of) {
        for (String key : of.apply(found.get(0)).keySet()) {
            Spread spread = Spread.of(
                    found.stream().map(draw -> of.apply(draw).get(key)).toList());
            writer.println(String.format(
                    Locale.ROOT,
                    "%-62s %.3f ± %.3f",
                    String.format(Locale.ROOT, title, key),
                    spread.mean(),
                    spread.deviation()));
        }
    }
}
