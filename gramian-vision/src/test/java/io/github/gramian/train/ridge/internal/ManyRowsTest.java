package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.DescriptorFile;
import io.github.gramian.train.descriptor.internal.Descriptors;
import io.github.gramian.train.descriptor.internal.TensorRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The methods for many rows, on few, compared with the dual on the same rows in double. */
class ManyRowsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int CLASSES = 7;

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static int[] labels(int n) {
        return IntStream.range(0, n).map(i -> i * CLASSES / n).toArray();
    }

    /**
     * Rows listed class by class around class means, far from the origin: of unit variance, or with variances k^−1.2 along
     * random directions, as descriptors of images have.
     */
    private static Tensor descriptors(long seed, int n, int length, boolean decaying) {
        Tensor means = new Seed(99).normal(DOUBLE, CLASSES, length);
        Tensor X = new Seed(seed).normal(DOUBLE, n, length);
        int[] labels = labels(n);
        for (int i = 0; i < n; i++) {
            X.select(0, i).add_(means.select(0, labels[i]), scalar(decaying ? 0.5 : 0.15));
        }
        if (decaying) {
            Tensor amplitude = torch.arange(scalar(1.0), scalar(length + 1.0), DOUBLE.options())
                    .pow(scalar(-0.6));
            Tensor mixed = new Seed(5).normal(DOUBLE, length, length).div_(scalar(Math.sqrt(length)));
            X = X.mul(amplitude).matmul(mixed);
        }
        return FLOAT.place(X.add(scalar(decaying ? 0.3 : 2.0)));
    }

    private static RidgeConfig config(double... lambdas) {
        return new RidgeConfig(
                java.util.Arrays.stream(lambdas).boxed().toList(),
                64,
                RidgeConfig.defaults().memoryBudget());
    }

    private static IterativeRidge iterative(RidgeConfig config) {
        return new IterativeRidge(CLASSES, config, line -> {});
    }

    /** In float the dual's inner products are rounded, which small penalties magnify. */
    private static Descriptors exact(Tensor X) {
        return new TensorRows(DOUBLE.place(X));
    }

    /** The largest difference of scores over the largest score. */
    private static double difference(RidgeFit actual, RidgeFit expected, Tensor X) {
        Tensor wide = DOUBLE.place(X);
        Tensor right = scores(expected, wide);
        return scores(actual, wide).sub(right).abs().max().item_double()
                / right.abs().max().item_double();
    }

    private static Tensor scores(RidgeFit fit, Tensor X) {
        return X.matmul(DOUBLE.place(fit.weight()).t()).add(DOUBLE.place(fit.bias()));
    }

    @ParameterizedTest
    @CsvSource({
        "700, 40, false, 1e-3",
        "700, 40, false, 1",
        "700, 300, true, 0.01",
        "500, 800, true, 0.1",
        "500, 800, true, 10"
    })
    void all_methods_give_the_scores_of_the_dual(int n, int length, boolean decaying, double lambda) {
        Tensor X = descriptors(1, n, length, decaying);
        RidgeConfig one = config(lambda);
        RidgeClassifier.Rows rows = new RidgeClassifier.Rows(new TensorRows(X), labels(n));
        RidgeFit dual = RidgeClassifier.fit(exact(X), rows.labels(), CLASSES, one);
        RidgeFit primal = PrimalRidge.leavingOut(rows, new RidgeClassifier.Task(CLASSES, one));
        assertThat(difference(primal, dual, X)).isLessThan(1e-5);
        assertThat(primal.chosen().lambda())
                .isCloseTo(dual.chosen().lambda(), within(1e-6 * dual.chosen().lambda()));
        assertThat(difference(iterative(one).fit(rows.rows(), rows.labels(), 1.0), dual, X))
                .isLessThan(1e-5);
        assertThat(difference(iterative(one).fit(rows.rows(), rows.labels()), dual, X))
                .as("rows that were held out are fitted to in the end")
                .isLessThan(1e-5);
    }

    @ParameterizedTest
    @CsvSource({"600, 50, false", "600, 300, true"})
    void moments_leave_rows_out_as_the_dual_does(int n, int length, boolean decaying) {
        Tensor X = descriptors(2, n, length, decaying);
        RidgeClassifier.Rows rows = new RidgeClassifier.Rows(new TensorRows(X), labels(n));
        RidgeConfig several = config(1e-3, 0.03, 1, 30);
        RidgeFit dual = RidgeClassifier.fit(exact(X), rows.labels(), CLASSES, several);
        RidgeFit primal = PrimalRidge.leavingOut(rows, new RidgeClassifier.Task(CLASSES, several));
        assertTrials(primal, dual, 1e-4);
        RidgeFit little = PrimalRidge.leavingOut(
                rows,
                new RidgeClassifier.Task(CLASSES, new RidgeConfig(several.lambdas(), 64, 1))); // one penalty a pass
        assertThat(HostCopy.floats(little.weight())).isEqualTo(HostCopy.floats(primal.weight()));
    }

    @ParameterizedTest
    @CsvSource({"600, 50, false", "600, 300, true"})
    void moments_leave_groups_out_as_the_dual_does(int n, int length, boolean decaying) {
        Tensor X = descriptors(3, n, length, decaying);
        int[] groups = IntStream.range(0, n).map(i -> i < 90 ? i % 30 : i).toArray(); // 30 of three rows, others alone
        RidgeConfig several = config(1e-3, 0.03, 1, 30);
        RidgeFit dual = DualRidge.leavingOut(
                new RidgeClassifier.Rows(exact(X), labels(n), groups, false),
                new RidgeClassifier.Task(CLASSES, several));
        RidgeFit primal = PrimalRidge.leavingOut(
                new RidgeClassifier.Rows(new TensorRows(X), labels(n), groups, false),
                new RidgeClassifier.Task(CLASSES, several));
        assertTrials(primal, dual, 1e-4);
        RidgeFit alone = RidgeClassifier.fit(exact(X), labels(n), CLASSES, several);
        assertThat(primal.trials()).isNotEqualTo(alone.trials());
    }

    @Test
    void validation_rows_choose_as_in_the_dual() {
        Tensor X = descriptors(3, 600, 400, true);
        Tensor V = descriptors(4, 210, 400, true);
        RidgeConfig several = config(1e-6, 0.01, 0.1, 1, 10);
        RidgeFit dual = RidgeClassifier.fit(exact(X), labels(600), exact(V), labels(210), CLASSES, several);
        RidgeFit primal = PrimalRidge.validated(
                new RidgeClassifier.Rows(new TensorRows(X), labels(600)),
                new RidgeClassifier.Rows(new TensorRows(V), labels(210)),
                new RidgeClassifier.Task(CLASSES, several));
        assertTrials(primal, dual, 1e-4);
        assertThat(difference(primal, dual, V)).isLessThan(1e-5);
        RidgeFit iterative = iterative(several).fit(new TensorRows(X), labels(600), new TensorRows(V), labels(210));
        assertThat(iterative.chosen().relativeLambda()).isEqualTo(dual.chosen().relativeLambda());
        assertThat(difference(iterative, dual, V)).isLessThan(1e-5);
        assertThat(iterative.temperature()).isCloseTo(dual.temperature(), within(1e-2 * dual.temperature()));
        assertThat(iterative.chosen().accuracy()).isCloseTo(dual.chosen().accuracy(), within(0.005));
        assertThat(iterative.chosen().logLoss()).isCloseTo(dual.chosen().logLoss(), within(1e-3));
    }

    private static void assertTrials(RidgeFit actual, RidgeFit expected, double error) {
        assertThat(actual.chosen().relativeLambda()).isEqualTo(expected.chosen().relativeLambda());
        for (int i = 0; i < expected.trials().size(); i++) {
            RidgeFit.Trial one = actual.trials().get(i);
            RidgeFit.Trial other = expected.trials().get(i);
            assertThat(one.relativeLambda()).isEqualTo(other.relativeLambda());
            assertThat(one.accuracy()).isCloseTo(other.accuracy(), within(0.005));
            assertThat(one.logLoss()).isCloseTo(other.logLoss(), within(error));
        }
    }

    @Test
    void small_penalties_are_not_tried_where_they_only_get_worse_and_a_line_reports_it() {
        Tensor X = descriptors(6, 500, 400, false);
        List<String> warnings = new ArrayList<>();
        double[] lambdas =
                IntStream.rangeClosed(-8, 3).mapToDouble(e -> Math.pow(10, e)).toArray();
        RidgeFit fit = new IterativeRidge(CLASSES, config(lambdas), warnings::add).fit(new TensorRows(X), labels(500));
        List<Double> tried =
                fit.trials().stream().map(RidgeFit.Trial::relativeLambda).toList();
        assertThat(tried).as("in the order of the config").isSorted();
        assertThat(tried).endsWith(100.0, 1000.0).hasSizeBetween(4, 11);
        assertThat(warnings).last().asString().startsWith("penalties below " + tried.get(0) + " were not tried");
        RidgeFit dual = RidgeClassifier.fit(new TensorRows(X), labels(500), CLASSES, config(lambdas));
        assertThat(dual.chosen().relativeLambda()).as("leaving out one").isIn(tried);
    }

    @Test
    void the_same_rows_give_the_same_bits_from_memory_and_from_a_file() {
        Tensor X = descriptors(7, 400, 90, true);
        RidgeConfig several = config(0.01, 0.1, 1);
        float[] first = HostCopy.floats(
                iterative(several).fit(new TensorRows(X), labels(400)).weight());
        try (DescriptorFile file = DescriptorFile.of(new TensorRows(X), folder)) {
            assertThat(HostCopy.floats(iterative(several).fit(file, labels(400)).weight()))
                    .isEqualTo(first);
        }
    }

    @Test
    void rows_that_are_all_alike_give_the_shares_of_the_classes() {
        Tensor alike = torch.full(new long[] {70, 5}, scalar(0.1), FLOAT.options());
        RidgeClassifier.Rows rows = new RidgeClassifier.Rows(new TensorRows(alike), labels(70));
        for (RidgeFit fit : List.of(
                PrimalRidge.leavingOut(rows, new RidgeClassifier.Task(CLASSES, RidgeConfig.defaults())),
                iterative(RidgeConfig.defaults()).fit(rows.rows(), rows.labels()))) {
            assertThat(fit.weight().isfinite().all().item_bool()).isTrue();
            Tensor scores = scores(fit, DOUBLE.place(alike));
            assertThat(scores.sub(scalar(1.0 / CLASSES)).abs().max().item_double())
                    .isLessThan(1e-5);
        }
    }
}
