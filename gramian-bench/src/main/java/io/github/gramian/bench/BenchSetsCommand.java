package io.github.gramian.bench;

import io.github.gramian.bench.quality.SetBenchmark;
import io.github.gramian.cli.common.JsonOutput;
import io.github.gramian.cli.common.PrintingCommand;
import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.Run;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** How well sets of classes keep their coverage. */
@Command(
        name = "sets",
        description = {
            "Measures the coverage and the size of sets of classes.",
            "Uses the test images of finished runs. Compares the sets with the most probable classes until their"
                    + " probabilities sum to the coverage, and with such sets of the same coverage."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  gramian bench sets runs/seed-1 runs/seed-2 runs/seed-3",
            "  gramian bench sets runs/first --json"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class BenchSetsCommand extends PrintingCommand {

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "Run directories with a model and predictions.")
    private List<Path> runs = new ArrayList<>();

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Map<String, List<SetBenchmark.Row>> results = new LinkedHashMap<>();
        for (Path run : runs) {
            results.put(run.toString(), measured(run));
        }
        if (json) {
            JsonOutput.print(stdout(), results);
        } else {
            print(results, stdout());
        }
        return 0;
    }

    private static List<SetBenchmark.Row> measured(Path directory) throws IOException {
        Run run = Run.open(directory);
        try (StoredModel model = StoredModel.open(run.model())) {
            SetScores scores = model.reference()
                    .sets()
                    .orElseThrow(() -> new IllegalArgumentException("the model of " + directory
                            + " has no calibration scores; train it again with validation images, or with a classifier in"
                            + " closed form"));
            return SetBenchmark.of(run.predictions(), scores);
        }
    }

    private static void print(Map<String, List<SetBenchmark.Row>> results, PrintWriter out) {
        out.println("level  images  coverage  95 % interval   printed  size   softmax  size   equal size  run");
        results.forEach((run, rows) -> rows.forEach(row -> out.println(String.format(
                Locale.ROOT,
                "%4.0f %%  %6d  %6.1f %%%s %5.1f–%5.1f %%   %5.1f %%  %5.2f  %5.1f %%  %5.2f  %10.2f  %s",
                100 * row.level(),
                row.images(),
                100 * row.coverage(),
                row.inside() ? " " : "*",
                100 * row.lower(),
                100 * row.upper(),
                100 * row.printedCoverage(),
                row.meanSize(),
                100 * row.massCoverage(),
                row.massSize(),
                row.equalMassSize(),
                run))));
        out.println("coverage: of sets that may be empty; * marks values outside of the interval");
        out.println("printed: sets with at least one class, as 'gramian predict' prints them, and their mean size");
        out.println("softmax: the most probable classes until their probabilities sum to the level");
        out.println("equal size: mean size of such sets that have the coverage of the printed ones");
        out.flush();
    }
}
