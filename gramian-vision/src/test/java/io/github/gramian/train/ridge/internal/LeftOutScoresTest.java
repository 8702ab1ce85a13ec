package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

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

class LeftOutScoresTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int ROWS = 23;
    private static final int CLASSES = 3;
    private static final double LAMBDA = 0.1;

    @Test
    void scores_are_those_of_classifiers_that_never_saw_the_group() {
        int[] labels = IntStream.range(0, ROWS).map(i -> i % CLASSES).toArray();
        int[] groups =
                IntStream.range(0, ROWS).map(i -> i < 6 ? i / 3 : i).toArray(); // two of three rows, others alone
        try (Scope scope = Scope.open()) {
            Tensor X = new Seed(1).normal(DOUBLE, ROWS, 30);
            try (CrossValidation rows = CrossValidation.of(new KnownRows(X), labels, CLASSES, RidgeConfig.defaults())) {
                LeftOutScores scores = LeftOutScores.of(rows, labels, groups, List.of(LAMBDA));
                for (int row = 0; row < ROWS; row++) {
                    double[] refitted = refitted(X, labels, groups, row);
                    for (int label = 0; label < CLASSES; label++) {
                        assertThat(scores.score(row, label)).isCloseTo(refitted[label], within(1e-5));
                    }
                }
            }
        }
    }

    /** The scores of a row by a classifier that was fitted to the rows of all other groups. */
    private static double[] refitted(Tensor X, int[] labels, int[] groups, int row) {
        int[] in =
                IntStream.range(0, ROWS).filter(i -> groups[i] != groups[row]).toArray();
        Tensor training = X.index_select(0, HostCopy.labels(in, DOUBLE));
        double ratio = spread(X) / spread(training);
        RidgeFit fit = RidgeClassifier.fit(
                new KnownRows(training),
                IntStream.of(in).map(i -> labels[i]).toArray(),
                CLASSES,
                RidgeConfig.defaults().withLambdas(List.of(LAMBDA * ratio)));
        Tensor scores = Placement.cpu(Precision.FLOAT)
                .place(X.narrow(0, row, 1))
                .matmul(fit.weight().t())
                .add(fit.bias());
        return Judge.values(DOUBLE.place(scores));
    }

    private static double spread(Tensor X) {
        return X.sub(X.mean(0)).square().sum().item_double() / X.size(0);
    }

    @Test
    void distances_are_means_over_the_nearest_rows_and_never_over_the_row_itself() {
        int[] labels = IntStream.range(0, ROWS).map(i -> i % CLASSES).toArray();
        try (Scope scope = Scope.open()) {
            Tensor X = new Seed(2).normal(DOUBLE, ROWS, 5);
            try (CrossValidation rows = CrossValidation.of(new KnownRows(X), labels, CLASSES, RidgeConfig.defaults())) {
                double[] distances = rows.distances(2);
                Tensor centred = X.sub(X.mean(0));
                double[] values = Judge.values(centred);
                for (int row = 0; row < ROWS; row++) {
                    int own = row;
                    double[] cosines = IntStream.range(0, ROWS)
                            .filter(other -> other != own)
                            .mapToDouble(other -> cosine(values, own, other))
                            .sorted()
                            .toArray();
                    double expected = 1 - (cosines[ROWS - 2] + cosines[ROWS - 3]) / 2;
                    assertThat(distances[row]).isCloseTo(expected, within(1e-9));
                }
            }
        }
    }

    private static double cosine(double[] values, int a, int b) {
        double product = 0;
        double left = 0;
        double right = 0;
        for (int i = 0; i < 5; i++) {
            product += values[5 * a + i] * values[5 * b + i];
            left += values[5 * a + i] * values[5 * a + i];
            right += values[5 * b + i] * values[5 * b + i];
        }
        return product / Math.sqrt(left * right);
    }
}
