package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.tensor.Doubles;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DualRidgeTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** Every row stands alone. */
    private static final LeaveOut ALONE = LeaveOut.groups(new int[] {0});

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static DualRidge decompose(Tensor G, Tensor Y) {
        return DualRidge.decompose(G, Y, Judge.equal((int) G.size(0)));
    }

    /** [W; b] of the normal equations with an unpenalised last column of ones. */
    private static Tensor bruteForce(Tensor X, Tensor Y, double lambda) {
        long d = X.size(1);
        Tensor ones = torch.ones(new long[] {X.size(0), 1}, DOUBLE.options());
        Tensor A = torch.cat(new TensorVector(X, ones), 1);
        Tensor penalty = torch.eye(d + 1, DOUBLE.options()).mul(scalar(lambda));
        penalty.select(0, d).zero_();
        return torch.linalg_solve(A.t().matmul(A).add(penalty), A.t().matmul(Y));
    }

    private static Tensor predict(Tensor X, Tensor weightAndBias) {
        long d = X.size(1);
        return X.matmul(weightAndBias.narrow(0, 0, d)).add(weightAndBias.select(0, d));
    }

    /** Predictions for the training rows: residuals are λα. */
    private static Tensor fitted(Tensor Y, DualRidge.Solution solution, double lambda) {
        return Y.sub(solution.alpha().mul(scalar(lambda)));
    }

    private static Tensor features(long seed, long rows, long length) {
        return new Seed(seed).normal(DOUBLE, rows, length).add(scalar(3.0));
    }

    @ParameterizedTest
    @CsvSource({"12, 5, 1e-3", "12, 5, 1", "12, 30, 1e-2", "12, 30, 100", "2, 3, 0.5", "3, 1, 0.1"})
    void the_solution_is_that_of_the_normal_equations(long n, long d, double lambda) {
        Tensor X = features(1, n, d);
        Tensor Y = new Seed(2).normal(DOUBLE, n, 4);
        Tensor expected = bruteForce(X, Y, lambda);
        try (DualRidge ridge = decompose(X.matmul(X.t()), Y)) {
            DualRidge.Solution solution = ridge.solve(lambda);
            assertThat(distance(X.t().matmul(solution.alpha()), expected.narrow(0, 0, d)))
                    .isLessThan(1e-8);
            assertThat(distance(solution.intercept(), expected.select(0, d))).isLessThan(1e-8);
            assertThat(distance(fitted(Y, solution, lambda), predict(X, expected)))
                    .isLessThan(1e-8);
        }
    }

    @ParameterizedTest
    @CsvSource({"5, 1e-3", "5, 1", "30, 1e-2", "30, 100"})
    void leaving_a_group_out_is_refitting_without_its_rows(long d, double lambda) {
        long[][] members = {{0, 4, 8, 10}, {1, 5}, {2, 6, 9}, {3}, {7, 11}};
        int[] numbers = {0, 1, 2, 3, 0, 1, 2, 4, 0, 2, 0, 4};
        LeaveOut groups = LeaveOut.groups(numbers);
        Tensor X = features(3, 12, d);
        Tensor Y = new Seed(4).normal(DOUBLE, 12, 4);
        Tensor G = X.matmul(X.t());
        try (DualRidge spectral = decompose(G, Y);
                DualRidge single = DualRidge.factorise(G, Y, Judge.equal((int) G.size(0)), lambda / spectral.scale())) {
            Tensor leftOut = spectral.leftOut(lambda, groups);
            assertThat(distance(single.leftOut(lambda / spectral.scale() * single.scale(), groups), leftOut))
                    .isLessThan(1e-8);
            for (long[] group : members) {
                List<Long> others = LongStream.range(0, 12)
                        .filter(row -> Arrays.stream(group).noneMatch(one -> one == row))
                        .boxed()
                        .toList();
                Tensor rest =
                        Tensor.create(others.stream().mapToLong(Long::longValue).toArray());
                Tensor model = bruteForce(X.index_select(0, rest), Y.index_select(0, rest), lambda);
                Tensor own = Tensor.create(group);
                assertThat(distance(leftOut.index_select(0, own), predict(X.index_select(0, own), model)))
                        .isLessThan(1e-7);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"12, 5, 1e-3", "12, 5, 1", "12, 30, 1e-2", "12, 30, 100", "2, 3, 0.5", "3, 1, 0.1"})
    void leaving_one_out_is_refitting_without_it(long n, long d, double lambda) {
        Tensor X = features(3, n, d);
        Tensor Y = new Seed(4).normal(DOUBLE, n, 4);
        try (DualRidge ridge = decompose(X.matmul(X.t()), Y)) {
            Tensor predictions = ridge.leftOut(lambda, ALONE);
            for (long row = 0; row < n; row++) {
                assertThat(distance(predictions.narrow(0, row, 1), withoutRow(X, Y, lambda, row)))
                        .isLessThan(1e-8);
            }
        }
    }

    /** The prediction for this row of a fit to all others: [1, c]. */
    private static Tensor withoutRow(Tensor X, Tensor Y, double lambda, long out) {
        TensorVector remainingX = new TensorVector();
        TensorVector remainingY = new TensorVector();
        for (long row = 0; row < X.size(0); row++) {
            if (row != out) {
                remainingX.push_back(X.narrow(0, row, 1));
                remainingY.push_back(Y.narrow(0, row, 1));
            }
        }
        return predict(X.narrow(0, out, 1), bruteForce(torch.cat(remainingX, 0), torch.cat(remainingY, 0), lambda));
    }

    @ParameterizedTest
    @CsvSource({"12, 5, 1e-6", "12, 5, 1", "12, 30, 1e-2", "12, 30, 100", "2, 3, 0.5", "3, 1, 0.1"})
    void factors_for_one_lambda_agree_with_the_decomposition(long n, long d, double relative) {
        Tensor X = features(7, n, d);
        Tensor G = X.matmul(X.t());
        Tensor Y = new Seed(8).normal(DOUBLE, n, 4);
        try (DualRidge many = decompose(G, Y);
                DualRidge one = DualRidge.factorise(G, Y, Judge.equal((int) G.size(0)), relative)) {
            double lambda = relative * many.scale();
            assertThat(one.scale()).isEqualTo(many.scale());
            assertThat(distance(one.solve(lambda).alpha(), many.solve(lambda).alpha()))
                    .isLessThan(1e-8 / relative);
            assertThat(distance(fitted(Y, one.solve(lambda), lambda), fitted(Y, many.solve(lambda), lambda)))
                    .isLessThan(1e-8);
            assertThat(distance(one.leftOut(lambda, ALONE), many.leftOut(lambda, ALONE)))
                    .isLessThan(1e-7);
            assertThatThrownBy(() -> one.solve(2 * lambda)).hasMessageContaining("factors were made for λ");
        }
    }

    @Test
    void lambda_has_the_unit_of_the_mean_squared_distance_from_the_mean_row() {
        Tensor X = features(9, 10, 4);
        Tensor centred = X.sub(X.mean(0));
        try (DualRidge ridge = decompose(X.matmul(X.t()), features(10, 10, 2))) {
            double expected = centred.square().sum().item_double() / 10;
            assertThat(Math.abs(ridge.scale() / expected - 1)).isLessThan(1e-12);
        }
    }

    @Test
    void rows_that_are_all_alike_predict_the_mean_of_the_other_targets() {
        Tensor X = torch.full(new long[] {4, 3}, scalar(0.7), DOUBLE.options());
        Tensor Y = Doubles.matrix(new double[] {0}, new double[] {1}, new double[] {2}, new double[] {5});
        for (Tensor G : List.of(X.matmul(X.t()), torch.zeros(new long[] {4, 4}, DOUBLE.options()))) {
            try (DualRidge ridge = decompose(G, Y)) {
                double lambda = 1e-6 * ridge.scale();
                assertThat(ridge.scale()).isPositive();
                assertThat(distance(fitted(Y, ridge.solve(lambda), lambda), torch.full_like(Y, scalar(2.0))))
                        .isLessThan(1e-6);
                Tensor expected = Y.sum().sub(Y).div(scalar(3.0));
                assertThat(distance(ridge.leftOut(lambda, ALONE), expected)).isLessThan(1e-6);
            }
        }
    }

    @Test
    void what_cannot_be_is_refused_with_the_reason() {
        Tensor G = torch.eye(3, DOUBLE.options());
        Tensor Y = new Seed(1).normal(DOUBLE, 3, 2);
        assertThatThrownBy(() -> decompose(G.narrow(0, 0, 1).narrow(1, 0, 1), Y.narrow(0, 0, 1)))
                .hasMessageContaining("at least 2 rows");
        assertThatThrownBy(() -> decompose(G, Y.narrow(0, 0, 2))).hasMessageContaining("2 targets");
        assertThatThrownBy(() -> decompose(G.mul(scalar(Double.NaN)), Y))
                .hasMessageContaining("NaN")
                .hasMessageContaining("broken images");
        try (DualRidge ridge = decompose(G, Y)) {
            assertThatThrownBy(() -> ridge.solve(0)).hasMessageContaining("above 0");
            assertThatThrownBy(() -> ridge.solve(Double.NaN)).hasMessageContaining("above 0");
        }
    }

    private static double distance(Tensor actual, Tensor expected) {
        return actual.sub(expected).abs().max().item_double();
    }

    /** A Gram matrix of three directions, computed in float: its other eigenvalues are noise of both signs. */
    @Test
    void a_penalty_below_the_rounding_errors_is_solved_by_the_decomposition() {
        Tensor X = new Seed(3).normal(DOUBLE, 40, 3);
        Tensor noise = new Seed(4).normal(DOUBLE, 40, 40).mul(scalar(1e-5));
        Tensor G = X.matmul(X.t()).add(noise.add(noise.t()));
        Tensor Y = new Seed(5).normal(DOUBLE, 40, 2);
        double relative = 1e-8;
        try (DualRidge all = decompose(G, Y);
                DualRidge one = DualRidge.factorise(G, Y, Judge.equal((int) G.size(0)), relative)) {
            double lambda = relative * all.scale();
            assertThat(torch.allclose(
                            one.solve(lambda).alpha(), all.solve(lambda).alpha()))
                    .isTrue();
        }
    }
}
