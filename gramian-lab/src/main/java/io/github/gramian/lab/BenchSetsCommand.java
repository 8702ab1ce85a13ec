package io.github.gramian.lab;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.cli.Below;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.Binomial;
import io.github.gramian.eval.internal.SetCoverage;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.Run;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
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
@Below("bench")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class BenchSetsCommand extends LabCommand {

    /** The coverages that are measured. */
    private static final List<Double> LEVELS = List.of(0.8, 0.9, 0.95);

    private static final double TAIL = 0.025;

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "Run directories with a model and predictions.")
    private List<Path> runs = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        Map<String, List<Row>> results = new LinkedHashMap<>();
        for (Path run : runs) {
            results.put(run.toString(), measured(run));
        }
        report(results, out -> print(results, out));
        return 0;
    }

    private static List<Row> measured(Path directory) throws IOException {
        Run run = Run.open(directory);
        try (StoredModel model = StoredModel.open(run.model())) {
            PredictionSets scores = model.reference()
                    .sets()
                    .orElseThrow(() -> new IllegalArgumentException("the model of " + directory
                            + " has no calibration scores; train it again with validation images, or with a classifier in"
                            + " closed form"));
            return rows(run.predictions(), scores);
        }
    }

    private static void print(Map<String, List<Row>> results, PrintWriter out) {
        out.println("level  images  coverage  95 % interval   printed  size   softmax  size   equal size  run");
        results.forEach((run, rows) -> rows.forEach(row -> out.println(Text.format(
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
    }

    /**
     * One level on one run.
     *
     * @param level coverage that was asked for
     * @param images number of test images
     * @param coverage share of images whose set holds their class, if sets may be empty, as the theory is about
     * @param lower of the 95 % interval of that share if the coverage were exact
     * @param upper of the same interval
     * @param printedCoverage the coverage of the sets that are printed, which are never empty
     * @param meanSize mean number of classes of these sets
     * @param massCoverage coverage of the sets without calibration
     * @param massSize their mean size
     * @param equalMassSize the mean size of such sets if their level is chosen, with the test labels, to have at least the
     *     coverage of the printed sets
     */
    record Row(
            double level,
            int images,
            double coverage,
            double lower,
            double upper,
            double printedCoverage,
            double meanSize,
            double massCoverage,
            double massSize,
            double equalMassSize) {

        /** Whether the coverage lies within the interval. */
        boolean inside() {
            return coverage >= lower && coverage <= upper;
        }
    }

    /**
     * Measures all levels.
     *
     * @param predictions with their true classes; at least one
     */
    static List<Row> rows(List<Prediction> predictions, PredictionSets calibration) {
        List<Row> rows = new ArrayList<>();
        double[] needed = predictions.stream()
                .mapToDouble(BenchSetsCommand::massOfTruth)
                .sorted()
                .toArray();
        for (SetCoverage.Level one :
                SetCoverage.of(predictions, calibration, LEVELS).levels()) {
            int n = predictions.size();
            int covered = (int) Math.round(one.coverage() * n);
            double equal = covered == 0 ? 0 : needed[covered - 1];
            rows.add(new Row(
                    one.level(),
                    n,
                    one.exactCoverage(),
                    quantile(n, one.level(), TAIL) / (double) n,
                    quantile(n, one.level(), 1 - TAIL) / (double) n,
                    one.coverage(),
                    one.meanSize(),
                    massCoverage(needed, one.level()),
                    massSize(predictions, one.level()),
                    massSize(predictions, equal)));
        }
        return rows;
    }

    /** The probabilities before the true class, which a level must exceed for the set to hold it. */
    private static double massOfTruth(Prediction prediction) {
        double before = 0;
        for (Prediction.Candidate one : prediction.top(prediction.classes().size())) {
            if (one.index() == prediction.truth()) {
                break;
            }
            before += one.probability();
        }
        return before;
    }

    private static double massCoverage(double[] needed, double level) {
        return (double) Arrays.stream(needed).filter(mass -> mass < level).count() / needed.length;
    }

    /** The mean number of classes that come before the level; at least one each, and those at the level itself. */
    private static double massSize(List<Prediction> predictions, double level) {
        long size = 0;
        for (Prediction prediction : predictions) {
            double before = 0;
            int count = 0;
            for (Prediction.Candidate one : prediction.top(prediction.classes().size())) {
                if (count > 0 && before > level) {
                    break;
                }
                count++;
                before += one.probability();
            }
            size += count;
        }
        return (double) size / predictions.size();
    }

    /** The smallest k with P(X ≤ k) ≥ share. */
    static int quantile(int n, double p, double share) {
        double[] mass = Binomial.probabilities(n, p);
        double sum = 0;
        for (int k = 0; k <= n; k++) {
            sum += mass[k];
            if (sum >= share) {
                return k;
            }
        }
        return n;
    }
}
