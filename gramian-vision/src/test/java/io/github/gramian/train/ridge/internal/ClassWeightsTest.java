package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.eval.Prediction;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.TensorRows;
import java.util.Arrays;
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

/** Weights of classes in the closed form, compared with refits by the normal equations and with repeated images. */
class ClassWeightsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int CLASSES = 3;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** Of ten rows, seven are of the first class, two of the second and one of the third. */
    private static int[] labels(int n) {
        return IntStream.range(0, n)
                .map(i -> i % 10 < 7 ? 0 : i % 10 < 9 ? 1 : 2)
                .toArray();
    }

    private static double[] balanced(int[] labels) {
        return Judge.weights(labels, Weights.BALANCED.of(labels, CLASSES));
    }

    private static Tensor rows(long seed, int n, int d) {
        Tensor X = new Seed(seed).normal(FLOAT, n, d).add_(scalar(0.5));
        int[] labels = labels(n);
        for (int i = 0; i < n; i++) {
            X.narrow(0, i, 1).narrow(1, labels[i], 1).add_(scalar(1.5));
        }
        return X;
    }

    /** [W; b] that minimises Σ w‖y − xW − b‖² + λ‖W‖². */
    private static Tensor refit(Tensor X, Tensor Y, double[] w, double lambda) {
        Tensor roots = Judge.roots(w);
        Tensor ones = torch.ones(new long[] {X.size(0), 1}, DOUBLE.options());
        Tensor A = torch.cat(new TensorVector(X, ones), 1).mul(roots);
        Tensor penalty = torch.eye(X.size(1) + 1, DOUBLE.options()).mul(scalar(lambda));
        penalty.select(0, X.size(1)).zero_();
        return torch.linalg_solve(A.t().matmul(A).add(penalty), A.t().matmul(Y.mul(roots)));
    }

    private static Tensor predict(Tensor X, Tensor weightAndBias) {
        long d = X.size(1);
        return X.matmul(weightAndBias.narrow(0, 0, d)).add(weightAndBias.select(0, d));
    }

    /** Predictions of each row by refits without its group. */
    private static Tensor withoutTheirGroup(Tensor X, Tensor Y, double[] w, int[] groups, double lambda) {
        Tensor all = torch.zeros_like(Y);
        for (int group : IntStream.of(groups).distinct().toArray()) {
            int[] in =
                    IntStream.range(0, w.length).filter(i -> groups[i] != group).toArray();
            int[] out =
                    IntStream.range(0, w.length).filter(i -> groups[i] == group).toArray();
            Tensor inside = HostCopy.labels(in, DOUBLE);
            Tensor outside = HostCopy.labels(out, DOUBLE);
            Tensor model = refit(
                    X.index_select(0, inside),
                    Y.index_select(0, inside),
                    IntStream.of(in).mapToDouble(i -> w[i]).toArray(),
                    lambda);
            all.index_copy_(0, outside, predict(X.index_select(0, outside), model));
        }
        return all;
    }

    private static double distance(Tensor actual, Tensor expected) {
        return actual.sub(expected).abs().max().item_double();
    }

    @Test
    void every_class_has_the_same_weight_in_sum() {
        int[] labels = labels(20);
        double[] weights = balanced(labels);
        for (int c = 0; c < CLASSES; c++) {
            int of = c;
            double sum = IntStream.range(0, 20)
                    .filter(i -> labels[i] == of)
                    .mapToDouble(i -> weights[i])
                    .sum();
            assertThat(sum).isCloseTo(20.0 / 3, within(1e-12));
        }
        assertThat(Weights.NONE.of(labels, CLASSES)).containsOnly(1);
        assertThat(Weights.BALANCED.of(new int[] {0, 0, 2, 2}, CLASSES)).containsOnly(1);
        assertThat(new Judge(labels, CLASSES).independent()).isEqualTo(20);
        // (Σw)²/Σw² of classes with 14, 4 and 2 images is 3²/(1/14 + 1/4 + 1/2) = 10.96.
        assertThat(new Judge(labels, CLASSES, weights).independent()).isEqualTo(11);
    }

    @ParameterizedTest
    @CsvSource({"5, 1e-3", "5, 1", "40, 1e-2", "40, 10"})
    void leaving_out_is_refitting_without_the_rows(int d, double lambda) {
        int n = 20;
        Tensor X = DOUBLE.place(rows(1, n, d));
        int[] labels = labels(n);
        double[] w = balanced(labels);
        Tensor Y = Judge.indicators(labels, CLASSES);
        Tensor G = X.matmul(X.t());
        int[] alone = IntStream.range(0, n).toArray();
        int[] groups = IntStream.range(0, n).map(i -> i < 8 ? i % 3 : i).toArray();
        try (DualRidge spectral = DualRidge.decompose(G, Y, w);
                DualRidge single = DualRidge.factorise(G, Y, w, lambda / spectral.scale())) {
            for (DualRidge ridge : List.of(spectral, single)) {
                double own = lambda / spectral.scale() * ridge.scale();
                DualRidge.Solution solution = ridge.solve(own);
                Tensor expected = refit(X, Y, w, lambda);
                assertThat(distance(X.t().matmul(solution.alpha()), expected.narrow(0, 0, d)))
                        .isLessThan(1e-8);
                assertThat(distance(solution.intercept(), expected.select(0, d)))
                        .isLessThan(1e-8);
                assertThat(distance(
                                ridge.leftOut(own, LeaveOut.groups(alone)), withoutTheirGroup(X, Y, w, alone, lambda)))
                        .isLessThan(1e-8);
                assertThat(distance(
                                ridge.leftOut(own, LeaveOut.groups(groups)),
                                withoutTheirGroup(X, Y, w, groups, lambda)))
                        .isLessThan(1e-8);
            }
        }
    }

    @Test
    void whole_weights_are_repeated_images() {
        int n = 12;
        Tensor X = DOUBLE.place(rows(2, n, 30));
        Tensor Y = Judge.indicators(labels(n), CLASSES);
        double[] w = IntStream.range(0, n).mapToDouble(i -> 1 + i % 3).toArray();
        int[] repeated = IntStream.range(0, n)
                .flatMap(i -> IntStream.generate(() -> i).limit(1 + i % 3))
                .toArray();
        Tensor at = HostCopy.labels(repeated, DOUBLE);
        Tensor XX = X.index_select(0, at);
        double lambda = 0.3;
        try (DualRidge weighted = DualRidge.decompose(X.matmul(X.t()), Y, w);
                DualRidge all =
                        DualRidge.decompose(XX.matmul(XX.t()), Y.index_select(0, at), Judge.equal((int) XX.size(0)))) {
            assertThat(weighted.scale()).isCloseTo(all.scale(), within(1e-10));
            assertThat(distance(
                            X.t().matmul(weighted.solve(lambda).alpha()),
                            XX.t().matmul(all.solve(lambda).alpha())))
                    .isLessThan(1e-8);
            assertThat(distance(
                            weighted.solve(lambda).intercept(),
                            all.solve(lambda).intercept()))
                    .isLessThan(1e-8);
            Tensor leftOut = all.leftOut(lambda, LeaveOut.groups(repeated));
            assertThat(distance(
                            weighted.leftOut(
                                            lambda,
                                            LeaveOut.groups(
                                                    IntStream.range(0, n).toArray()))
                                    .index_select(0, at),
                            leftOut))
                    .isLessThan(1e-8);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void the_dual_and_the_moments_judge_penalties_by_refits(boolean grouped) {
        int n = 60;
        Tensor X = rows(3, n, 8);
        int[] labels = labels(n);
        double[] w = balanced(labels);
        int[] groups =
                IntStream.range(0, n).map(i -> grouped && i < 30 ? i % 10 : i).toArray();
        RidgeConfig config = RidgeConfig.defaults().withLambdas(List.of(0.01, 0.1, 1.0));
        RidgeClassifier.Rows rows = new RidgeClassifier.Rows(new TensorRows(X), labels, groups, false);
        RidgeClassifier.Rows exact = new RidgeClassifier.Rows(new TensorRows(DOUBLE.place(X)), labels, groups, false);
        RidgeFit dual = DualRidge.leavingOut(exact, new RidgeClassifier.Task(CLASSES, config, Weights.BALANCED));
        RidgeFit primal = PrimalRidge.leavingOut(rows, new RidgeClassifier.Task(CLASSES, config, Weights.BALANCED));
        Judge judge = new Judge(labels, CLASSES, w);
        for (RidgeFit fit : List.of(dual, primal)) {
            for (RidgeFit.Trial trial : fit.trials()) {
                Tensor scores = withoutTheirGroup(
                        DOUBLE.place(X), Judge.indicators(labels, CLASSES), w, groups, trial.lambda());
                RidgeFit.Trial expected =
                        judge.trial(trial.relativeLambda(), trial.lambda() / trial.relativeLambda(), scores);
                assertThat(trial.logLoss()).isCloseTo(expected.logLoss(), within(1e-8));
                assertThat(trial.accuracy()).isCloseTo(expected.accuracy(), within(1e-12));
            }
        }
        RidgeFit equal = DualRidge.leavingOut(exact, new RidgeClassifier.Task(CLASSES, config));
        assertThat(equal.chosen().accuracy()).isNotEqualTo(dual.chosen().accuracy());
        assertThat(distance(equal.weight(), dual.weight())).isGreaterThan(1e-3);
    }

    @ParameterizedTest
    @CsvSource({"0.01, 40", "1, 40", "0.1, 300"})
    void conjugate_gradients_find_the_weights_of_the_dual(double lambda, int d) {
        int n = 200;
        Tensor X = rows(4, n, d);
        RidgeConfig config = RidgeConfig.defaults().withLambdas(List.of(lambda));
        RidgeClassifier.Rows rows = new RidgeClassifier.Rows(new TensorRows(X), labels(n));
        RidgeFit dual = DualRidge.leavingOut(
                new RidgeClassifier.Rows(new TensorRows(DOUBLE.place(X)), labels(n)),
                new RidgeClassifier.Task(CLASSES, config, Weights.BALANCED));
        IterativeRidge iterative =
                new IterativeRidge(new RidgeClassifier.Task(CLASSES, config, Weights.BALANCED), line -> {});
        assertThat(distance(iterative.leavingOut(rows).weight(), dual.weight())).isLessThan(1e-5);
        RidgeFit again = iterative.fit(rows.rows(), rows.labels(), 1.0);
        assertThat(distance(again.weight(), dual.weight())).isLessThan(1e-5);
        assertThat(distance(again.bias(), dual.bias())).isLessThan(1e-5);
    }

    @Test
    void validation_images_count_by_the_weights_of_the_training_images() {
        Tensor X = rows(5, 100, 20);
        Tensor V = rows(6, 50, 20);
        RidgeConfig config = RidgeConfig.defaults().withLambdas(List.of(0.01, 0.3, 10.0));
        RidgeClassifier.Rows training = new RidgeClassifier.Rows(new TensorRows(X), labels(100));
        RidgeClassifier.Rows validation = new RidgeClassifier.Rows(new TensorRows(V), labels(50));
        RidgeFit dual =
                DualRidge.validated(training, validation, new RidgeClassifier.Task(CLASSES, config, Weights.BALANCED));
        RidgeFit primal = PrimalRidge.validated(
                training, validation, new RidgeClassifier.Task(CLASSES, config, Weights.BALANCED));
        RidgeFit iterative = new IterativeRidge(new RidgeClassifier.Task(CLASSES, config, Weights.BALANCED), line -> {})
                .fit(training.rows(), training.labels(), validation.rows(), validation.labels());
        double[] w = Judge.weights(labels(50), Weights.BALANCED.of(labels(100), CLASSES));
        for (RidgeFit fit : List.of(dual, primal, iterative)) {
            Tensor scores = DOUBLE.place(V.matmul(fit.weight().t()).add(fit.bias()));
            RidgeFit.Trial expected =
                    new Judge(labels(50), CLASSES, w).trial(fit.chosen().relativeLambda(), 1, scores);
            assertThat(fit.chosen().relativeLambda()).isEqualTo(dual.chosen().relativeLambda());
            assertThat(fit.chosen().logLoss()).isCloseTo(expected.logLoss(), within(1e-3));
            assertThat(fit.chosen().accuracy()).isCloseTo(expected.accuracy(), within(1e-6));
        }
    }

    /** Every fold has the shares of all rows, so that the weights of refits are those of all rows. */
    @Test
    void folds_of_a_search_are_predicted_as_by_refits() {
        int n = 100;
        Tensor X = DOUBLE.place(rows(7, n, 12));
        int[] labels = labels(n);
        int[] folds = IntStream.range(0, n).map(i -> i / 10 % 5).toArray();
        int[] alone = IntStream.range(0, n).toArray();
        List<Double> lambdas = List.of(0.01, 1.0);
        RidgeConfig config = RidgeConfig.defaults();
        try (CrossValidation folded =
                CrossValidation.of(new TensorRows(X), labels, CLASSES, config, Weights.BALANCED)) {
            int[] predicted = folded.predict(List.of(folds), alone, lambdas).get(0);
            int[] expected = new int[n];
            for (int fold = 0; fold < 5; fold++) {
                int wanted = fold;
                int[] in = IntStream.range(0, n).filter(i -> folds[i] != wanted).toArray();
                int[] own = IntStream.of(in).map(i -> labels[i]).toArray();
                Tensor inside = X.index_select(0, HostCopy.labels(in, DOUBLE));
                double ratio = folded.unit() / spread(inside, balanced(own));
                RidgeFit fit = DualRidge.leavingOut(
                        new RidgeClassifier.Rows(new TensorRows(inside), own),
                        new RidgeClassifier.Task(
                                CLASSES,
                                config.withLambdas(lambdas.stream()
                                        .map(lambda -> lambda * ratio)
                                        .toList()),
                                Weights.BALANCED));
                float[][] scores =
                        HostCopy.rows(FLOAT.place(X).matmul(fit.weight().t()).add(fit.bias()));
                IntStream.range(0, n)
                        .filter(i -> folds[i] == wanted)
                        .forEach(i -> expected[i] = Prediction.argmax(scores[i]));
            }
            assertThat(predicted).isEqualTo(expected);
            int[] equal;
            try (CrossValidation plain = CrossValidation.of(new TensorRows(X), labels, CLASSES, config)) {
                equal = plain.predict(List.of(folds), alone, lambdas).get(0);
            }
            assertThat(Arrays.stream(predicted).filter(c -> c > 0).count())
                    .as("images of the small classes are found")
                    .isGreaterThan(Arrays.stream(equal).filter(c -> c > 0).count());
        }
    }

    /** Two versions of each image, which are equal; the folds are those of the images. */
    @Test
    void versions_that_are_equal_are_predicted_as_their_images() {
        int n = 100;
        Tensor X = DOUBLE.place(rows(8, n, 12));
        int[] folds = IntStream.range(0, n).map(i -> i / 10 % 5).toArray();
        int[] alone = IntStream.range(0, n).toArray();
        int[] twice = IntStream.concat(Arrays.stream(labels(n)), Arrays.stream(labels(n)))
                .toArray();
        RidgeConfig config = RidgeConfig.defaults();
        try (CrossValidation images =
                        CrossValidation.of(new TensorRows(X), labels(n), CLASSES, config, Weights.BALANCED);
                CrossValidation versions = CrossValidation.of(
                        new TensorRows(torch.cat(new TensorVector(X, X), 0)),
                        twice,
                        CLASSES,
                        config,
                        Weights.BALANCED)) {
            assertThat(new VersionFolds(versions, n, 1)
                            .predict(List.of(folds), List.of(0.1))
                            .get(0))
                    .isEqualTo(
                            images.predict(List.of(folds), alone, List.of(0.1)).get(0));
        }
    }

    private static double spread(Tensor X, double[] w) {
        Tensor roots = Judge.roots(w);
        double total = Arrays.stream(w).sum();
        Tensor mean = X.mul(roots.square()).sum(0).div_(scalar(total));
        return X.sub(mean).mul(roots).square().sum().item_double() / total;
    }
}
