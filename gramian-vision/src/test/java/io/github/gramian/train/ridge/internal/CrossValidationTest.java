package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrossValidationTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final List<Double> LAMBDAS = List.of(0.01, 0.1, 1.0);
    private static final int CLASSES = 3;
    private static final int ROWS = 41;
    private static final int LENGTH = 60;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void folds_are_predicted_as_by_classifiers_that_never_saw_them(long seed) {
        try (Scope scope = Scope.open()) {
            // Noise hides the classes, so that penalties and folds matter.
            Tensor X = new Seed(seed).normal(DOUBLE, ROWS, LENGTH);
            int[] labels = IntStream.range(0, ROWS).map(i -> i % CLASSES).toArray();
            for (int i = 0; i < ROWS; i++) {
                X.narrow(0, i, 1).narrow(1, labels[i], 1).add_(io.github.gramian.tensor.Scalars.scalar(2.5));
            }
            List<int[]> assignments = List.of(
                    IntStream.range(0, ROWS).map(i -> i % 5).toArray(),
                    IntStream.range(0, ROWS).map(i -> (i * 7 + i / 4) % 4).toArray());
            try (CrossValidation folded =
                    CrossValidation.of(new KnownRows(X), labels, CLASSES, RidgeConfig.defaults())) {
                List<int[]> predicted =
                        folded.predict(assignments, IntStream.range(0, ROWS).toArray(), LAMBDAS);
                for (int d = 0; d < assignments.size(); d++) {
                    assertThat(predicted.get(d)).isEqualTo(refitted(X, labels, assignments.get(d)));
                }
                assertThat(predicted.get(0)).isNotEqualTo(labels).isNotEqualTo(predicted.get(1));
            }
        }
    }

    @Test
    void inside_the_other_folds_groups_are_left_out_together() {
        try (Scope scope = Scope.open()) {
            Tensor X = new Seed(4).normal(DOUBLE, ROWS, LENGTH);
            int[] labels = IntStream.range(0, ROWS).map(i -> i % CLASSES).toArray();
            for (int i = 0; i < ROWS; i++) {
                X.narrow(0, i, 1).narrow(1, labels[i], 1).add_(io.github.gramian.tensor.Scalars.scalar(2.5));
            }
            int[] groups = IntStream.range(0, ROWS)
                    .map(i -> i < 3 * CLASSES ? i % CLASSES : i)
                    .toArray();
            int[] folds = IntStream.range(0, ROWS).map(i -> groups[i] % 5).toArray();
            try (CrossValidation folded =
                    CrossValidation.of(new KnownRows(X), labels, CLASSES, RidgeConfig.defaults())) {
                assertThat(folded.predict(List.of(folds), groups, LAMBDAS).get(0))
                        .isEqualTo(refitted(X, labels, folds, groups));
            }
        }
    }

    private static int[] refitted(Tensor X, int[] labels, int[] folds) {
        return refitted(X, labels, folds, IntStream.range(0, ROWS).toArray());
    }

    /** Fits a classifier for each fold to the rows of the others. */
    private static int[] refitted(Tensor X, int[] labels, int[] folds, int[] groups) {
        int[] predicted = new int[ROWS];
        for (int fold = 0; fold <= IntStream.of(folds).max().orElseThrow(); fold++) {
            int wanted = fold;
            int[] out = IntStream.range(0, ROWS).filter(i -> folds[i] == wanted).toArray();
            int[] in = IntStream.range(0, ROWS).filter(i -> folds[i] != wanted).toArray();
            Tensor training = X.index_select(0, HostCopy.labels(in, DOUBLE));
            double ratio = spread(X) / spread(training);
            RidgeConfig config = RidgeConfig.defaults()
                    .withLambdas(LAMBDAS.stream().map(lambda -> lambda * ratio).toList());
            RidgeFit fit = DualRidge.leavingOut(
                    new RidgeClassifier.Rows(
                            new KnownRows(training),
                            IntStream.of(in).map(i -> labels[i]).toArray(),
                            IntStream.of(in).map(i -> groups[i]).toArray(),
                            false),
                    new RidgeClassifier.Task(CLASSES, config));
            Tensor rows = X.index_select(0, HostCopy.labels(out, DOUBLE));
            float[][] scores = HostCopy.rows(Placement.cpu(Precision.FLOAT)
                    .place(rows)
                    .matmul(fit.weight().t())
                    .add(fit.bias()));
            for (int i = 0; i < out.length; i++) {
                predicted[out[i]] = io.github.gramian.eval.Prediction.argmax(scores[i]);
            }
        }
        return predicted;
    }

    /** The unit of relative penalties: the mean squared distance from the mean row. */
    private static double spread(Tensor X) {
        return X.sub(X.mean(0)).square().sum().item_double() / X.size(0);
    }
}
