package io.github.gramian.cli.label;

import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.cli.common.Progress;
import io.github.gramian.cli.train.RecipeFileOptions;
import io.github.gramian.cli.train.SplitOptions;
import io.github.gramian.cli.train.TrainingProgress;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.inspect.internal.Inspection;
import io.github.gramian.dataset.inspect.internal.Inspector;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.label.internal.LabelCheck;
import io.github.gramian.natives.internal.UserCache;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code gramian data check}: wrong labels, copies, outliers, bad photographs, imbalance and leaks of a dataset. */
@Command(
        name = "check",
        description = {
            "Finds what is probably wrong with labelled photographs.",
            "Lists labels that are probably wrong, copies, outliers, blurred or dark photographs, unbalanced classes,"
                    + " and images that leak from training to test.",
            "A label is suspicious if a classifier that has not seen the image predicts another one.",
            "Reads all images, of every split. Never changes or moves a file."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian data check --images photos/ --backbone resnet50.safetensors --out check.html",
            "  gramian data check --images photos/ --backbone resnet50.safetensors --csv > suspects.csv"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class DataCheckCommand extends PrintingCommand {

    @Mixin
    private RecipeFileOptions options;

    @Option(names = "--out", description = "HTML page with thumbnails of what was found.")
    private @Nullable Path out;

    @Option(names = "--json", description = "Print everything as JSON.")
    private boolean json;

    @Option(names = "--csv", description = "Print the suspicious labels as CSV: file, given, suggested, score.")
    private boolean csv;

    @Mixin
    private SplitOptions splits;

    @Option(
            names = "--cache",
            description = "Directory of the feature cache (default: 'features' in the user's cache directory).")
    private @Nullable Path cache;

    @Option(names = "--threads", description = "Number of threads that decode images (default: one per core).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--quiet", description = "Do not print progress.")
    private boolean quiet;

    @Override
    public Integer call() throws IOException {
        if (json && csv) {
            throw new IllegalArgumentException("give --json or --csv, not both");
        }
        Recipe recipe = options.recipe(splits.settings());
        Path features = cache();
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        boolean silent = quiet || json || csv;
        Inspection inspection = inspect(dataset, silent);
        LabelCheck labels;
        try (TrainingProgress progress = new TrainingProgress(stderr(), silent)) {
            labels = LabelCheck.run(dataset, recipe, features, progress);
        }
        DataCheck check = new DataCheck(inspection, labels);
        if (out != null) {
            AtomicFile.writeText(out, new DataCheckPage(check).html());
        }
        print(check);
        return 0;
    }

    private Path cache() throws IOException {
        if (cache != null) {
            return cache;
        }
        return UserCache.current()
                .gramian()
                .orElseThrow(() -> new IOException("the cache directory is unknown; give --cache"))
                .resolve("features");
    }

    private Inspection inspect(Dataset dataset, boolean silent) {
        Inspector inspector = new Inspector(ImageDecoder.forLocalFiles(), threads);
        try (Progress progress =
                new Progress("reading", "files", dataset.samples().size(), stderr(), silent)) {
            return inspector.inspect(dataset, (done, total) -> progress.done(done));
        }
    }

    private void print(DataCheck check) {
        PrintWriter writer = stdout();
        if (json) {
            JsonOutput.print(writer, check.toMap());
        } else if (csv) {
            DataCheckText.printCsv(check, writer);
        } else {
            DataCheckText.print(check, writer);
            if (out != null) {
                writer.println();
                writer.println("page: " + out);
                writer.flush();
            }
        }
    }
}
