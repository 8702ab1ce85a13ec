package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.TensorRows;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RidgeClassifierTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int CLASSES = 3;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static int[] labels(int n) {
        return IntStream.range(0, n).map(i -> i % CLASSES).toArray();
    }

    /** Class means with noise, far from the origin. */
    private static Tensor descriptors(long seed, int n, int length, Placement placement) {
        Tensor means = new Seed(99).normal(DOUBLE, CLASSES, length);
        Tensor X = new Seed(seed).normal(DOUBLE, n, length);
        for (int i = 0; i < n; i++) {
            X.select(0, i).add_(means.select(0, i % CLASSES)).add_(scalar(5.0));
        }
        return placement.place(X);
    }

    private static RidgeConfig config(int blockRows, long budget, Double... lambdas) {
        return new RidgeConfig(List.of(lambdas), blockRows, budget);
    }

    @ParameterizedTest
    @CsvSource({"DOUBLE, 1e-6", "FLOAT, 1e-4"})
    void weight_and_bias_are_those_of_the_normal_equations(Precision precision, double tolerance) {
        int n = 20;
        Tensor X = descriptors(1, n, 8, Placement.cpu(precision));
        RidgeFit fit = RidgeClassifier.fit(new TensorRows(X), labels(n), CLASSES, config(6, 0, 0.1));

        Tensor rows = DOUBLE.place(X);
        Tensor A = torch.cat(new TensorVector(rows, torch.ones(new long[] {n, 1}, DOUBLE.options())), 1);
        Tensor penalty = torch.eye(9, DOUBLE.options()).mul(scalar(fit.chosen().lambda()));
        penalty.select(0, 8).zero_();
        Tensor Y = torch.zeros(new long[] {n, CLASSES}, DOUBLE.options());
        for (int i = 0; i < n; i++) {
            Y.select(0, i).select(0, i % CLASSES).fill_(scalar(1.0));
        }
        Tensor expected = torch.linalg_solve(A.t().matmul(A).add(penalty), A.t().matmul(Y));
        assertThat(distance(fit.weight(), expected.narrow(0, 0, 8).t())).isLessThan(tolerance);
        assertThat(distance(fit.bias(), expected.select(0, 8))).isLessThan(tolerance);
        // In units of the mean squared distance from the mean row.
        double unit = rows.sub(rows.mean(0)).square().sum().item_double() / n;
        assertThat(fit.chosen().lambda()).isCloseTo(0.1 * unit, within(1e-5 * unit));
    }

    @Test
    void a_mean_that_dwarfs_the_spread_costs_no_digits_in_float() {
        Tensor X = descriptors(13, 30, 12, FLOAT).add(scalar(1000.0));
        RidgeFit inFloat = RidgeClassifier.fit(new TensorRows(X), labels(30), CLASSES, config(8, 0, 0.1));
        RidgeFit inDouble =
                RidgeClassifier.fit(new TensorRows(DOUBLE.place(X)), labels(30), CLASSES, config(8, 0, 0.1));
        assertThat(distance(inFloat.weight(), inDouble.weight())).isLessThan(1e-6);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7, 30, 1000})
    void blocks_of_any_size_give_the_same_classifier(int blockRows) {
        Tensor X = descriptors(2, 30, 12, FLOAT);
        RidgeFit whole = RidgeClassifier.fit(new TensorRows(X), labels(30), CLASSES, config(30, 1 << 20, 0.1));
        RidgeFit fit = RidgeClassifier.fit(new TensorRows(X), labels(30), CLASSES, config(blockRows, 1 << 20, 0.1));
        assertThat(distance(fit.weight(), whole.weight())).isLessThan(1e-6);
        assertThat(distance(fit.bias(), whole.bias())).isLessThan(1e-5);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 400, 800, 1_000})
    void cached_and_recomputed_rows_give_the_same_bits(long budget) {
        Tensor X = descriptors(3, 30, 12, FLOAT);
        TensorRows cachedRows = new TensorRows(X);
        TensorRows againRows = new TensorRows(X);
        RidgeFit cached = RidgeClassifier.fit(cachedRows, labels(30), CLASSES, config(4, 1 << 20, 0.1));
        RidgeFit again = RidgeClassifier.fit(againRows, labels(30), CLASSES, config(4, budget, 0.1));
        assertThat(torch.equal(cached.weight(), again.weight())).isTrue();
        assertThat(torch.equal(cached.bias(), again.bias())).isTrue();
        assertThat(cachedRows.asked()).as("30 for the origin, 30 to cache").isEqualTo(60);
        assertThat(againRows.asked()).isGreaterThan(60);
    }

    @Test
    void of_penalties_as_accurate_as_the_best_up_to_chance_the_one_with_the_lowest_loss_is_chosen() {
        Tensor X = descriptors(5, 60, 40, FLOAT);
        RidgeFit fit = RidgeClassifier.fit(new TensorRows(X), labels(60), CLASSES, RidgeConfig.defaults());
        assertThat(fit.trials()).hasSize(17);
        for (RidgeFit.Trial trial : fit.trials()) {
            assertThat(trial.logLoss() >= fit.chosen().logLoss()
                            || trial.accuracy() < fit.chosen().accuracy())
                    .isTrue();
        }
        assertThat(fit.chosen().accuracy()).isGreaterThan(0.8);
        assertThat(fit.temperature()).isEqualTo(fit.chosen().temperature());
        List<RidgeFit.Trial> trials = List.of(
                new RidgeFit.Trial(1, 1, 0.90, 0.30, 1),
                new RidgeFit.Trial(2, 2, 0.89, 0.20, 1),
                new RidgeFit.Trial(3, 3, 0.80, 0.10, 1));
        assertThat(RidgeFit.Trial.best(trials, 100).relativeLambda())
                .as("0.89 of 100 rows is 0.90 up to chance, 0.80 is not")
                .isEqualTo(2);
        assertThat(RidgeFit.Trial.best(trials, 100_000).relativeLambda())
                .as("of 100,000 rows it is not")
                .isEqualTo(1);
    }

    @Test
    void the_reported_loss_and_accuracy_are_those_of_rows_that_are_left_out() {
        int n = 60;
        Tensor X = descriptors(6, n, 40, FLOAT);
        RidgeFit fit = RidgeClassifier.fit(new TensorRows(X), labels(n), CLASSES, config(16, 0, 0.3));
        Tensor wide = DOUBLE.place(X);
        Tensor Y = Judge.indicators(labels(n), CLASSES);
        try (DualRidge ridge = DualRidge.decompose(wide.matmul(wide.t()), Y, Judge.equal((int) wide.size(0)))) {
            assertReported(fit, ridge.leftOut(fit.chosen().lambda(), LeaveOut.groups(new int[] {0})));
        }
    }

    /** The loss and the accuracy of a fit are those of these scores, of the images 0, 1 and so on. */
    private static void assertReported(RidgeFit fit, Tensor scores) {
        Tensor P = DOUBLE.place(scores).mul(scalar(fit.temperature())).softmax(1);
        long n = P.size(0);
        double loss = 0;
        double right = 0;
        for (int i = 0; i < n; i++) {
            Tensor row = P.select(0, i);
            loss -= Math.log(row.select(0, i % CLASSES).item_double()) / n;
            right += row.argmax().item_long() == i % CLASSES ? 1.0 / n : 0;
        }
        assertThat(fit.chosen().logLoss()).isCloseTo(loss, within(1e-4));
        assertThat(fit.chosen().accuracy()).isCloseTo(right, within(1e-9));
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 7, 64})
    void validation_rows_are_scored_by_the_weights_that_come_back(int blockRows) {
        Tensor X = descriptors(8, 30, 12, FLOAT);
        Tensor validation = descriptors(9, 11, 12, FLOAT);
        RidgeFit fit = RidgeClassifier.fit(
                new TensorRows(X),
                labels(30),
                new TensorRows(validation),
                labels(11),
                CLASSES,
                config(blockRows, 0, 0.01, 0.1, 1.0));
        assertReported(fit, validation.matmul(fit.weight().t()).add(fit.bias()));

        RidgeFit alone = RidgeClassifier.fit(
                new TensorRows(X),
                labels(30),
                CLASSES,
                config(30, 0, fit.chosen().relativeLambda()));
        assertThat(distance(fit.weight(), alone.weight())).isLessThan(1e-6);
    }

    @Test
    void equal_rows_and_only_two_rows_still_give_finite_results() {
        Tensor alike = torch.full(new long[] {40, 5}, scalar(0.1), FLOAT.options());
        RidgeFit constant = RidgeClassifier.fit(new TensorRows(alike), labels(40), CLASSES, RidgeConfig.defaults());
        assertThat(distance(constant.weight(), torch.zeros_like(constant.weight())))
                .isLessThan(1e-9);
        assertThat(constant.bias().select(0, 0).item_double()).isCloseTo(14.0 / 40, within(1e-6));

        RidgeFit two = RidgeClassifier.fit(
                new TensorRows(descriptors(11, 2, 5, FLOAT)), new int[] {0, 2}, CLASSES, RidgeConfig.defaults());
        assertThat(two.weight().isfinite().all().item_bool()).isTrue();
        assertThat(two.chosen().logLoss()).isFinite();
        assertThat(two.chosen().accuracy()).isZero();
    }

    @Test
    void what_cannot_be_trained_on_is_refused_with_what_to_do() {
        Descriptors rows = new TensorRows(descriptors(12, 6, 5, FLOAT));
        RidgeConfig config = RidgeConfig.defaults();
        assertThatThrownBy(() -> RidgeClassifier.fit(rows, new int[6], CLASSES, config))
                .hasMessageContaining("class number 0")
                .hasMessageContaining("other class");
        assertThatThrownBy(() -> RidgeClassifier.fit(rows, labels(5), CLASSES, config))
                .hasMessageContaining("6 images and 5 labels");
        assertThatThrownBy(() -> RidgeClassifier.fit(rows, labels(6), 2, config))
                .hasMessageContaining("0..1 but one is 2");
        Descriptors one = new TensorRows(descriptors(12, 1, 5, FLOAT));
        assertThatThrownBy(() -> RidgeClassifier.fit(one, labels(1), CLASSES, config))
                .hasMessageContaining("at least 2 images");
        Tensor broken = descriptors(12, 50, 5, FLOAT);
        broken.select(0, 41).fill_(scalar(Double.NaN));
        assertThatThrownBy(() -> RidgeClassifier.fit(new TensorRows(broken), labels(50), CLASSES, config))
                .hasMessageContaining("row 41")
                .hasMessageContaining("broken image");
        Descriptors narrow = new TensorRows(descriptors(12, 6, 4, FLOAT));
        assertThatThrownBy(() -> rows.then(narrow)).hasMessageContaining("same network");
    }

    @Test
    void a_source_whose_shapes_differ_from_its_description_is_named() {
        Descriptors liar = new Descriptors() {
            @Override
            public long count() {
                return 4;
            }

            @Override
            public long length() {
                return 5;
            }

            @Override
            public Tensor rows(long from, long to) {
                return torch.zeros(new long[] {to - from, 6}, FLOAT.options());
            }
        };
        assertThatThrownBy(() -> RidgeClassifier.fit(liar, labels(4), CLASSES, RidgeConfig.defaults()))
                .hasMessageContaining("[4, 5]");
    }

    @Test
    void a_config_checks_itself() {
        assertThatThrownBy(() -> config(1, 0)).hasMessageContaining("lambdas is empty");
        assertThatThrownBy(() -> config(1, 0, 0.0)).hasMessageContaining("one is 0.0");
        assertThatThrownBy(() -> config(0, 0, 1.0)).hasMessageContaining("blockRows");
        assertThatThrownBy(() -> config(1, -1, 1.0)).hasMessageContaining("memoryBudget");
        assertThat(RidgeConfig.defaults().lambdas()).startsWith(1e-6).endsWith(1e2);
        assertThat(RidgeConfig.defaults().withLambdas(List.of(0.5)).lambdas()).containsExactly(0.5);
    }

    private static double distance(Tensor actual, Tensor expected) {
        return DOUBLE.place(actual).sub(DOUBLE.place(expected)).abs().max().item_double();
    }
}
