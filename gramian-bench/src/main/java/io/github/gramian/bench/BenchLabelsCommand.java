package io.github.gramian.bench;

import io.github.gramian.bench.quality.LabelBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.RecipeOptions;
import io.github.gramian.cli.train.RecipeSettings;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.eval.internal.Spread;
import io.github.gramian.label.internal.DescribedImages;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How well {@code gramian data check} finds wrong labels. */
@Command(
        name = "labels",
        description = {
            "Measures how well wrong labels are found.",
            "Gives some images wrong labels at random, ranks all images by how suspicious their labels are, and prints"
                    + " the average precision: 1 if all wrong labels come first.",
            "Compares leave-one-out, which 'gramian data check' uses, with five folds of the same classifier."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench labels --images photos/ --backbone resnet50.safetensors --cache features/",
            "  gramian bench labels --images dtd/ --backbone resnet50.safetensors --cache features/ --flip 0.3 --json"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchLabelsCommand extends PrintingCommand {

    @Mixin
    private RecipeOptions options;

    @Option(names = "--cache", required = true, description = "Directory of the feature cache.")
    private Path cache;

    @Option(
            names = "--flip",
            defaultValue = "0.1",
            description = "Share of the images that get a wrong label (default: ${DEFAULT-VALUE}).")
    private double share;

    @Option(
            names = "--seeds",
            defaultValue = "5",
            description = "Number of draws of wrong labels (default: ${DEFAULT-VALUE}).")
    private int seeds;

    @Option(
            names = "--groups",
            paramLabel = "REGEX",
            description =
                    "Regular expression whose first capture group, matched against an image's path, names the object"
                            + " that it shows. Images of one object are left out together.")
    private @Nullable String groups;

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (!(share > 0 && share < 1) || seeds < 1) {
            throw new IllegalArgumentException(
                    "--flip must lie between 0 and 1 and --seeds be at least 1, but they are " + share + " and "
                            + seeds);
        }
        Recipe recipe = options.recipe("", new RecipeSettings().with("data.groups", groups));
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        List<LabelBenchmark.Draw> draws = new ArrayList<>();
        try (TrainingProgress progress = new TrainingProgress(stderr(), quiet || json);
                DescribedImages described = DescribedImages.of(dataset, recipe, cache, progress)) {
            for (int seed = 1; seed <= seeds; seed++) {
                draws.add(new LabelBenchmark(described).draw(dataset.classes().size(), share, seed));
            }
        }
        print(draws);
        return 0;
    }

    private void print(List<LabelBenchmark.Draw> draws) {
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, draws);
            return;
        }
        out.println(String.format(
                Locale.ROOT,
                "%d draws of %d wrong labels; ± is the standard deviation over draws",
                draws.size(),
                draws.get(0).flipped()));
        line(out, "average precision, leave-one-out", draws, LabelBenchmark.Draw::leaveOneOut);
        line(out, "average precision, five folds", draws, LabelBenchmark.Draw::folds);
        line(out, "seconds for leave-one-out", draws, LabelBenchmark.Draw::seconds);
        out.flush();
    }

    private static void line(
            PrintWriter out, String title, List<LabelBenchmark.Draw> draws, ToDoubleFunction<LabelBenchmark.Draw> of) {
        Spread spread = Spread.of(draws.stream().mapToDouble(of).boxed().toList());
        out.println(String.format(Locale.ROOT, "%-34s %.3f ± %.3f", title, spread.mean(), spread.deviation()));
    }
}
