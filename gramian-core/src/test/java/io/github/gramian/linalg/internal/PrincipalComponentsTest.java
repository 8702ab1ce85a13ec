package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.tensor.Doubles;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrincipalComponentsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int CHANNELS = 6;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    static Stream<double[]> spreads() {
        return List.of(
                new double[] {6, 5, 4, 3, 2, 1},
                new double[] {2, 2, 2, 2, 2, 2},
                new double[] {3, 3, 1, 1, 0, 0},
                new double[] {1e4, 1, 1e-3, 1e-3, 1e-6, 0},
                new double[] {1, 0, 0, 0, 0, 0},
                new double[] {0, 0, 0, 0, 0, 0})
                .stream();
    }

    /** Rows [40, C] with exactly these singular values (times √40) after centring, about a mean far from 0. */
    private static Tensor rows(double[] spread, long seed) {
        Tensor normal = new Seed(seed).normal(DOUBLE, 40, CHANNELS);
        Tensor centred = normal.sub(normal.mean(0));
        Tensor left = torch.linalg_qr(centred).get0().clone().mul(scalar(Math.sqrt(40)));
        Tensor right = torch.linalg_qr(new Seed(seed + 1).normal(DOUBLE, CHANNELS, CHANNELS))
                .get0()
                .clone();
        return left.mul(Doubles.row(spread)).matmul(right).add(new Seed(seed + 2).normal(DOUBLE, CHANNELS));
    }

    @ParameterizedTest
    @MethodSource("spreads")
    void components_are_the_right_singular_vectors_of_the_centred_rows(double[] spread) {
        Tensor X = rows(spread, 3);
        try (PrincipalComponents sums = new PrincipalComponents(CHANNELS)) {
            sums.add(X.narrow(0, 0, 7));
            sums.add(X.narrow(0, 7, 33));
            PrincipalComponents.Basis basis = sums.leading(CHANNELS);
            Tensor centred = X.sub(X.mean(0));
            double size = centred.norm().item_double() + 1;
            assertThat(distance(basis.mean(), X.mean(0))).isLessThan(1e-12 * size);

            Tensor singular = torch.linalg_svdvals(centred).square().div(scalar(40.0));
            assertThat(distance(basis.variances(), singular)).isLessThan(1e-13 * size * size);
            Tensor V = basis.components();
            assertThat(distance(V.t().matmul(V), torch.eye(CHANNELS, DOUBLE.options())))
                    .isLessThan(1e-10);
            // For any basis inside a repeated eigenvalue, the covariance comes back.
            Tensor covariance = centred.t().matmul(centred).div(scalar(40.0));
            Tensor again = Symmetric.compose(basis.variances(), V);
            assertThat(distance(again, covariance)).isLessThan(1e-13 * size * size);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void feature_maps_and_their_columns_as_rows_give_the_same_basis(long seed) {
        Tensor maps = new Seed(seed).normal(DOUBLE, 4, CHANNELS, 9);
        Tensor rows = maps.transpose(1, 2).reshape(-1, CHANNELS);
        try (PrincipalComponents fromMaps = new PrincipalComponents(CHANNELS);
                PrincipalComponents fromRows = new PrincipalComponents(CHANNELS)) {
            fromMaps.add(maps);
            fromRows.add(rows);
            Tensor components = fromMaps.leading(3).components();
            assertThat(components.sizes().vec().get()).containsExactly(CHANNELS, 3);
            assertThat(distance(components, fromRows.leading(3).components())).isLessThan(1e-10);
        }
    }

    @Test
    void the_largest_entry_of_every_component_is_positive_and_the_variances_fall() {
        try (PrincipalComponents sums = new PrincipalComponents(CHANNELS)) {
            sums.add(rows(new double[] {6, 5, 4, 3, 2, 1}, 8));
            PrincipalComponents.Basis basis = sums.leading(CHANNELS);
            for (int k = 0; k < CHANNELS; k++) {
                Tensor column = basis.components().select(1, k);
                assertThat(column.max().item_double())
                        .isEqualTo(column.abs().max().item_double());
            }
            assertThat(basis.variances().diff().max().item_double()).isNegative();
        }
    }

    @Test
    void a_mean_that_dwarfs_the_spread_costs_few_digits_even_in_float() {
        Tensor X = rows(new double[] {6, 5, 4, 3, 2, 1}, 9);
        Tensor far = X.add(scalar(3000.0));
        try (PrincipalComponents sums = new PrincipalComponents(CHANNELS)) {
            sums.add(Placement.cpu(Precision.FLOAT).place(far));
            assertThat(sums.leading(1).variances().item_double()).isCloseTo(36, within(1e-2));
            assertThat(distance(sums.leading(1).mean(), far.mean(0))).isLessThan(1e-3);
        }
    }

    @Test
    void the_same_batches_give_the_same_bits() {
        assertThat(torch.equal(floatComponents(), floatComponents())).isTrue();
    }

    private static Tensor floatComponents() {
        try (PrincipalComponents sums = new PrincipalComponents(CHANNELS)) {
            for (int batch = 0; batch < 3; batch++) {
                sums.add(new Seed(11).child(batch).normal(Placement.cpu(Precision.FLOAT), 5, CHANNELS, 49));
            }
            return sums.leading(4).components();
        }
    }

    @Test
    void what_cannot_be_is_refused_with_the_reason() {
        assertThatThrownBy(() -> new PrincipalComponents(0)).hasMessageContaining("at least one channel");
        try (PrincipalComponents sums = new PrincipalComponents(CHANNELS)) {
            assertThatThrownBy(() -> sums.leading(1)).hasMessageContaining("add training batches");
            assertThatThrownBy(() -> sums.add(new Seed(1).normal(DOUBLE, 4, 5))).hasMessageContaining("[4, 5]");
            sums.add(new Seed(1).normal(DOUBLE, 0, CHANNELS));
            assertThatThrownBy(() -> sums.leading(1)).hasMessageContaining("add training batches");
            sums.add(new Seed(1).normal(DOUBLE, 4, CHANNELS));
            assertThatThrownBy(() -> sums.leading(7)).hasMessageContaining("1..6");
            sums.add(torch.full(new long[] {2, CHANNELS}, scalar(Double.NaN), DOUBLE.options()));
            assertThatThrownBy(() -> sums.leading(2))
                    .hasMessageContaining("NaN")
                    .hasMessageContaining("broken images");
        }
    }

    @Test
    void leading_eigenvectors_hold_more_of_the_mean_matrix_than_any_other_basis() {
        Tensor A = new Seed(5).normal(DOUBLE, 10, 8, 8);
        Tensor K = A.matmul(A.mT());
        try (LeadingEigenvectors sums = new LeadingEigenvectors(8)) {
            sums.add(K.narrow(0, 0, 4));
            sums.add(K.narrow(0, 4, 5));
            sums.add(K.select(0, 9));
            Tensor mean = K.mean(0);
            LeadingEigenvectors.Basis basis = sums.leading(3);
            Tensor W = basis.vectors();
            assertThat(distance(W.t().matmul(W), torch.eye(3, DOUBLE.options())))
                    .isLessThan(1e-10);
            double held = W.t().matmul(mean).matmul(W).trace().item_double();
            assertThat(held).isCloseTo(basis.values().sum().item_double(), within(1e-10));
            for (int other = 0; other < 20; other++) {
                Tensor Q = torch.linalg_qr(new Seed(other).normal(DOUBLE, 8, 3))
                        .get0()
                        .clone();
                assertThat(Q.t().matmul(mean).matmul(Q).trace().item_double()).isLessThan(held);
            }
        }
    }

    @Test
    void an_accumulator_of_matrices_refuses_other_shapes_and_having_none() {
        assertThatThrownBy(() -> new LeadingEigenvectors(0)).hasMessageContaining("at least one row");
        try (LeadingEigenvectors sums = new LeadingEigenvectors(3)) {
            assertThatThrownBy(() -> sums.leading(1)).hasMessageContaining("no matrix was added");
            assertThatThrownBy(() -> sums.add(new Seed(1).normal(DOUBLE, 2, 3, 4)))
                    .hasMessageContaining("[2, 3, 4]");
        }
    }

    private static double distance(Tensor actual, Tensor expected) {
        return actual.sub(expected).abs().max().item_double();
    }
}
