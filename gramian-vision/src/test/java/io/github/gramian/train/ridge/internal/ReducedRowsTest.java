package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReducedRowsTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int ROWS = 50;
    private static final int RANK = 6;

    /** Rows in a space of few dimensions inside one of many, far from the origin. */
    private static Tensor rows() {
        return new Seed(1)
                .normal(FLOAT, ROWS, RANK)
                .matmul(new Seed(2).normal(FLOAT, RANK, 90))
                .add(new Seed(3).normal(FLOAT, 90));
    }

    @ParameterizedTest
    @ValueSource(ints = {20, ROWS})
    void reduced_rows_have_the_distances_of_the_rows(int sample) {
        try (Scope scope = Scope.open()) {
            Tensor X = rows();
            float[][] reduced = ReducedRows.of(
                    new KnownRows(X.narrow(0, 0, sample)), new KnownRows(X), 10, RidgeConfig.defaults(), new Seed(4));
            assertThat(reduced).hasDimensions(ROWS, RANK);
            for (int i = 1; i < ROWS; i++) {
                double distance = X.select(0, i).sub(X.select(0, i - 1)).norm().item_double();
                assertThat(distance(reduced[i], reduced[i - 1])).isCloseTo(distance, within(1e-3 * distance));
            }
        }
    }

    @Test
    void the_first_dimension_varies_most_and_no_more_than_requested_are_stored() {
        try (Scope scope = Scope.open()) {
            Tensor X = rows();
            float[][] reduced =
                    ReducedRows.of(new KnownRows(X), new KnownRows(X), 3, RidgeConfig.defaults(), new Seed(4));
            assertThat(reduced).hasDimensions(ROWS, 3);
            assertThat(variance(reduced, 0)).isGreaterThan(variance(reduced, 1));
            assertThat(variance(reduced, 1)).isGreaterThan(variance(reduced, 2));
        }
    }

    private static double distance(float[] a, float[] b) {
        double sum = 0;
        for (int k = 0; k < a.length; k++) {
            sum += (a[k] - b[k]) * (a[k] - b[k]);
        }
        return Math.sqrt(sum);
    }

    private static double variance(float[][] rows, int k) {
        double sum = 0;
        double squares = 0;
        for (float[] row : rows) {
            sum += row[k];
            squares += row[k] * row[k];
        }
        return squares / rows.length - sum / rows.length * (sum / rows.length);
    }
}
