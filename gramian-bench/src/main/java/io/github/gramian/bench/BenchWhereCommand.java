package io.github.gramian.bench;

import io.github.gramian.bench.quality.WhereBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Whether {@code gramian draw --where} marks what decided. */
@Command(
        name = "where",
        description = {
            "Measures whether maps mark the positions that decided.",
            "The maps are those of 'gramian draw --where', and the decision is the prediction.",
            "Deletes 10, 20 and 40 %% of the positions of test images.",
            "The most important positions are compared with those nearest to the centre, and with random ones.",
            "Also joins test images of two classes, and checks whether the map of each class lies in its half."
        },
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  gramian bench where runs/first --images 200 --composites 100"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchWhereCommand extends PrintingCommand {

    @Parameters(paramLabel = "RUN", description = "Run directory with model, scores and predictions.")
    private Path run;

    @Option(
            names = "--images",
            description = "Number of test images for deletion (default: ${DEFAULT-VALUE}).",
            defaultValue = "200")
    private int images;

    @Option(
            names = "--composites",
            description = "Number of composites of two classes (default: ${DEFAULT-VALUE}).",
            defaultValue = "100")
    private int composites;

    @Option(names = "--seed", description = "Random seed (default: ${DEFAULT-VALUE}).", defaultValue = "1")
    private long seed;

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (images < 1 || composites < 0) {
            throw new IllegalArgumentException("--images must be at least 1 and --composites at least 0, but they are "
                    + images + " and " + composites);
        }
        RunFolder folder = new RunFolder(run);
        ScoresFile scores = ScoresFile.read(folder.scores());
        WhereBenchmark.Result result;
        try (BatchPredictor predictor = BatchPredictor.load(folder.model())) {
            result = new WhereBenchmark(images, composites, seed)
                    .run(predictor, Path.of(scores.root()), PredictionsFile.read(folder.predictions(), scores));
        }
        PrintWriter out = stdout();
        if (json) {
            JsonOutput.print(out, result);
        } else {
            print(out, result);
        }
        out.flush();
        return 0;
    }

    private static void print(PrintWriter out, WhereBenchmark.Result result) {
        out.println("probability of the predicted class, mean of " + result.images() + " images");
        out.println(String.format(Locale.ROOT, "  %-9s%8.4f", "complete", result.probability()));
        out.println(String.format(Locale.ROOT, "  %-9s%8s%8s%8s", "deleted", "most", "centre", "random"));
        for (WhereBenchmark.Deleted one : result.deleted()) {
            out.println(String.format(
                    Locale.ROOT,
                    "  %3.0f %%    %8.4f%8.4f%8.4f",
                    100 * one.share(),
                    one.most(),
                    one.centre(),
                    one.random()));
        }
        out.println(String.format(
                Locale.ROOT,
                "maps in the half of their class: %d of %d (%d composites)",
                result.inOwnHalf(),
                result.questions(),
                result.composites()));
    }
}
