package io.github.gramian.train.ridge.internal;

import io.github.gramian.certainty.internal.CalibrationScores;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.Comparator;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * A fitted linear classifier: scores = weight · x + bias, probabilities = softmax(temperature · scores). Scores regress on
 * indicators, 1 for a row's class and 0 for the others; the scores of a row sum to 1. The tensors belong to the scope in
 * which the fit was asked for.
 *
 * @param weight [classes, length], float
 * @param bias [classes], float
 * @param chosen the penalty that was chosen, with its scores and temperature
 * @param trials every penalty that was tried, in the order of the config
 * @param heldOut scores of rows that were not trained on, with the chosen penalty; none where it was chosen before
 */
public record RidgeFit(Tensor weight, Tensor bias, Trial chosen, List<Trial> trials, CalibrationScores heldOut) {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    /**
     * One penalty and what it gave on rows that were not trained on (left out or validation).
     *
     * @param relativeLambda as in the config
     * @param lambda as in ‖Y − XW − 1bᵀ‖² + λ‖W‖²
     * @param accuracy fraction of rows whose class has the largest score, by the weights of the rows
     * @param logLoss mean negative log-likelihood at the temperature, by the weights of the rows
     * @param temperature factor of the scores in the softmax that gives the best likelihood
     */
    public record Trial(double relativeLambda, double lambda, double accuracy, double logLoss, double temperature) {

        /**
         * The choice: the smallest loss among penalties whose accuracy is within one standard error of the best. Of
         * accuracies that chance could have exchanged, a single row decides; the loss weighs all rows.
         */
        static Trial best(List<Trial> trials, int rows) {
            double most = trials.stream().mapToDouble(Trial::accuracy).max().orElseThrow();
            double error = NetworkPredictions.standardError(most, rows);
            return trials.stream()
                    .filter(trial -> trial.accuracy() >= most - error)
                    .min(Comparator.comparingDouble(Trial::logLoss))
                    .orElseThrow();
        }
    }

    /** In float, in the scope that encloses the given one. */
    static RidgeFit of(
            Scope scope, Tensor weight, Tensor bias, Trial chosen, List<Trial> trials, CalibrationScores heldOut) {
        return new RidgeFit(
                scope.promote(FLOAT.place(weight)), scope.promote(FLOAT.place(bias)), chosen, trials, heldOut);
    }

    public RidgeFit {
        trials = List.copyOf(trials);
    }

    /** The factor s of softmax(s · scores). */
    public double temperature() {
        return chosen.temperature();
    }
}
