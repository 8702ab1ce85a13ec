package io.github.gramian.train.ridge.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComponentRidgeTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int ROWS = 60;
    private static final int LABELLED = 40;
    private static final int CLASSES = 3;
    private static final double LAMBDA = 0.1;

    private static ComponentRidge.Labelled labelled(int[] rows) {
        return new ComponentRidge.Labelled(
                rows,
                IntStream.of(rows).map(row -> row % CLASSES).toArray(),
                IntStream.of(rows).map(ComponentRidgeTest::group).toArray(),
                CLASSES);
    }

    /** Two groups of three rows, the others alone. */
    private static int group(int row) {
        return row < 6 ? row / 3 : row;
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 30, 80})
    void scores_of_rows_that_are_left_out_are_those_of_fits_without_their_group(int dimensions) {
        try (Scope scope = Scope.open()) {
            Tensor X = new Seed(dimensions).normal(FLOAT, ROWS, dimensions);
            int[] all = IntStream.range(0, LABELLED).toArray();
            LeftOutScores leftOut =
                    ComponentRidge.fit(X, labelled(all), List.of(LAMBDA)).leftOut();
            for (int row : all) {
                int[] others =
                        IntStream.of(all).filter(i -> group(i) != group(row)).toArray();
                double ratio = spread(X, all) / spread(X, others);
                ComponentRidge refitted = ComponentRidge.fit(X, labelled(others), List.of(LAMBDA * ratio));
                for (int label = 0; label < CLASSES; label++) {
                    assertThat(leftOut.score(row, label))
                            .isCloseTo(refitted.scores()[row * CLASSES + label], within(1e-5));
                }
            }
        }
    }

    private static double spread(Tensor X, int[] rows) {
        Tensor some = X.index_select(0, HostCopy.labels(rows, FLOAT));
        return some.sub(some.mean(0)).square().sum().item_double() / rows.length;
    }
}
