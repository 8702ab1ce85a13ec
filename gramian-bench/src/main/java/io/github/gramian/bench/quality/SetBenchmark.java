package io.github.gramian.bench.quality;

import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.eval.internal.Binomial;
import io.github.gramian.eval.internal.SetCoverage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sets of classes on the test images of a run, compared with sets without calibration: the most probable classes until their
 * probabilities sum to the level.
 */
public final class SetBenchmark {

    /** The coverages that are measured. */
    public static final List<Double> LEVELS = List.of(0.8, 0.9, 0.95);

    private static final double TAIL = 0.025;

    private SetBenchmark() {}

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
    public record Row(
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
        public boolean inside() {
            return coverage >= lower && coverage <= upper;
        }
    }

    /**
     * Measures all levels.
     *
     * @param predictions with their true classes; at least one
     */
    public static List<Row> of(List<Prediction> predictions, SetScores calibration) {
        List<Row> rows = new ArrayList<>();
        double[] needed = predictions.stream()
                .mapToDouble(SetBenchmark::massOfTruth)
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
