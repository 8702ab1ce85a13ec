package io.github.gramian.bench;

import io.github.gramian.bench.quality.LabelBenchmark;
import io.github.gramian.bench.quality.RepairBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.RecipeSettings;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
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
import java.util.Set;
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
            "Compares leave-one-out, which 'gramian data check' uses, with five folds of the same classifier.",
            "With --confused, measures what correcting the first part of the list is worth: accuracy on the test images."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench labels --images photos/ --backbone resnet50.safetensors --cache features/",
            "  gramian bench labels --images dtd/ --backbone resnet50.safetensors --cache features/ --flip 0.3 --json",
            "  gramian bench labels --images photos/ --backbone resnet50.safetensors --cache features/ --flip 0.3 --confused"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchLabelsCommand extends PrintingCommand {

    @Mixin
    private RecipeFileOptions options;

    @Option(names = "--cache", required = true, description = "Directory of the feature cache.")
    private Path cache;

    @Option(
            names = "--flip",
            defaultValue = "0.1",
            description = "Share of the images that get a wrong label (default: ${DEFAULT-VALUE}).")
    private double share;

    @Option(
            names = "--confused",
            description = "Flip labels of training images only, to the class that the classifier confuses most with the"
                    + " right one. Correct the first part of the list and compare the accuracies on the test images.")
    private boolean confused;

    @Option(
            names = "--correct",
            defaultValue = "0.3",
            description = "Share of the list that is corrected with --confused (default: ${DEFAULT-VALUE}).")
    private double correct;

    @Option(
            names = "--rounds",
            defaultValue = "1",
            description =
                    "Number of parts in which the list is corrected with --confused. Before each part, Gramian computes"
                            + " the list again, as the studio does after every correction (default: ${DEFAULT-VALUE}).")
    private int rounds;

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
        if (!(share > 0 && share < 1) || !(correct > 0 && correct <= 1) || seeds < 1 || rounds < 1) {
            throw new IllegalArgumentException("--flip and --correct must lie between 0 and 1, and --seeds and"
                    + " --rounds be at least 1, but they are " + share + ", " + correct + ", " + seeds + " and "
                    + rounds);
        }
        Recipe recipe = options.recipe(new RecipeSettings().with("data.groups", groups));
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        List<LabelBenchmark.Draw> draws = new ArrayList<>();
        try (TrainingProgress progress = new TrainingProgress(stderr(), quiet || json);
                DescribedImages described = DescribedImages.of(dataset, recipe, cache, progress)) {
            if (confused) {
                printRepairs(repair(dataset, described).run(share, correct, rounds, seeds));
                return 0;
            }
            for (int seed = 1; seed <= seeds; seed++) {
                draws.add(new LabelBenchmark(described).draw(dataset.classes().size(), share, seed));
            }
        }
        print(draws);
        return 0;
    }

    private static RepairBenchmark repair(Dataset dataset, DescribedImages described) {
        Set<Sample> test = Set.copyOf(dataset.samples(Split.TEST));
        boolean[] heldOut = new boolean[described.samples().size()];
        int[] truth = new int[heldOut.length];
        for (int image = 0; image < heldOut.length; image++) {
            truth[image] = described.samples().get(image).label();
            heldOut[image] = test.contains(described.samples().get(image));
        }
        return new RepairBenchmark(described.rows(), truth, described.groups(), heldOut);
    }

    private void printRepairs(List<RepairBenchmark.Draw> draws) {
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, draws);
            return;
        }
        RepairBenchmark.Draw first = draws.get(0);
        out.println(String.format(
                Locale.ROOT,
                "%d draws of %d wrong labels, of which the first %d of the list are corrected; ± is the standard"
                        + " deviation over draws",
                draws.size(),
                first.flipped(),
                first.shown()));
        line(out, "wrong labels among these", draws, draw -> (double) draw.found());
        line(out, "test accuracy, right labels", draws, RepairBenchmark.Draw::clean);
        line(out, "test accuracy, wrong labels", draws, RepairBenchmark.Draw::noisy);
        line(out, "test accuracy, corrected labels", draws, RepairBenchmark.Draw::corrected);
        line(out, "share of the loss regained", draws, RepairBenchmark.Draw::regained);
        out.flush();
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

    private static <D> void line(PrintWriter out, String title, List<D> draws, ToDoubleFunction<D> of) {
        Spread spread = Spread.of(draws.stream().mapToDouble(of).boxed().toList());
        out.println(String.format(Locale.ROOT, "%-34s %.3f ± %.3f", title, spread.mean(), spread.deviation()));
    }
}
