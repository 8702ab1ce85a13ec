package io.github.gramian.manifold;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.SlopeTest;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class StiefelTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    static Stream<Arguments> everyStiefel() {
        return Stream.of(Metric.values())
                .flatMap(metric -> Stream.of(Retraction.values()).map(way -> new Stiefel(metric, way)))
                .flatMap(stiefel -> Stream.of(
                                new long[] {5, 1}, new long[] {9, 3}, new long[] {6, 6}, new long[] {1, 1})
                        .flatMap(shape -> Stream.of(1L, 2L, 3L).map(seed -> Arguments.of(stiefel, shape, seed))));
    }

    @ParameterizedTest
    @MethodSource("everyStiefel")
    void a_random_point_lies_on_the_manifold(Stiefel stiefel, long[] shape, long seed) {
        assertThat(stiefel.violation(stiefel.random(DOUBLE, new Seed(seed), shape)))
                .isLessThan(1e-13);
    }

    @ParameterizedTest
    @MethodSource("everyStiefel")
    void a_projection_is_tangent_idempotent_and_nearest(Stiefel stiefel, long[] shape, long seed) {
        Tensor W = stiefel.random(DOUBLE, new Seed(seed), shape);
        Tensor vector = new Seed(seed + 10).normal(DOUBLE, shape);
        Tensor tangent = stiefel.projection(W, vector);
        assertThat(skewViolation(W, tangent)).isLessThan(1e-12);
        assertThat(stiefel.projection(W, tangent).sub(tangent).norm().item_double())
                .isLessThan(1e-12);
        // Nearest: what was taken away is perpendicular to every tangent vector.
        Tensor other = stiefel.projection(W, new Seed(seed + 20).normal(DOUBLE, shape));
        assertThat(vector.sub(tangent).mul(other).sum().item_double()).isCloseTo(0, within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("everyStiefel")
    void the_gradient_is_tangent_and_represents_the_derivative_in_its_metric(Stiefel stiefel, long[] shape, long seed) {
        Tensor W = stiefel.random(DOUBLE, new Seed(seed), shape);
        Tensor G = new Seed(seed + 10).normal(DOUBLE, shape);
        Tensor gradient = stiefel.gradient(W, G);
        assertThat(skewViolation(W, gradient)).isLessThan(1e-12);
        Tensor xi = stiefel.projection(W, new Seed(seed + 20).normal(DOUBLE, shape));
        double derivative = G.mul(xi).sum().item_double();
        assertThat(stiefel.inner(W, gradient, xi).item_double()).isCloseTo(derivative, within(1e-12));
    }

    @ParameterizedTest
    @MethodSource("everyStiefel")
    void a_retraction_stays_on_the_manifold_and_is_of_first_order(Stiefel stiefel, long[] shape, long seed) {
        Tensor W = stiefel.random(DOUBLE, new Seed(seed), shape);
        Tensor xi = stiefel.projection(W, new Seed(seed + 10).normal(DOUBLE, shape));
        // Cayley's Newton step squares its small error and needs a step that is not huge.
        assertThat(stiefel.violation(stiefel.retraction(W, xi))).isLessThan(1e-12);
        assertThat(stiefel.violation(stiefel.retraction(W, xi.mul(scalar(0.01)))))
                .isLessThan(1e-13);
        SlopeTest slope = SlopeTest.ofRetraction(stiefel, W, new Seed(seed));
        assertThat(slope.passes()).as("slope %s", slope).isTrue();
        Tensor still = stiefel.retraction(W, torch.zeros_like(W));
        assertThat(still.sub(W).norm().item_double()).isLessThan(1e-13);
    }

    @ParameterizedTest
    @EnumSource(Retraction.class)
    void a_retraction_that_forgets_its_tangent_fails_the_slope_test(Retraction way) {
        Stiefel stiefel = new Stiefel(Metric.CANONICAL, way);
        Tensor W = stiefel.random(DOUBLE, new Seed(1), 6, 3);
        Manifold lame = new Lame(stiefel);
        assertThat(SlopeTest.ofRetraction(lame, W, new Seed(2)).passes()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Retraction.class)
    void transported_vectors_are_tangent_at_the_new_point(Retraction way) {
        Stiefel stiefel = new Stiefel(Metric.EUCLIDEAN, way);
        Tensor W = stiefel.random(DOUBLE, new Seed(3), 8, 4);
        Tensor xi = stiefel.projection(W, new Seed(4).normal(DOUBLE, 8, 4));
        Tensor next = stiefel.retraction(W, xi.mul(scalar(0.3)));
        assertThat(skewViolation(next, stiefel.transport(next, xi))).isLessThan(1e-12);
    }

    @Test
    void cayley_computes_the_same_in_the_small_and_in_the_full_space() {
        Stiefel stiefel = new Stiefel(Metric.CANONICAL, Retraction.CAYLEY);
        Tensor W = stiefel.random(DOUBLE, new Seed(5), 9, 4);
        Tensor xi = stiefel.projection(W, new Seed(6).normal(DOUBLE, 9, 4));
        Tensor small = stiefel.retraction(W, xi);
        // The definition, with 9×9 matrices.
        Tensor identity = torch.eye(9, DOUBLE.options());
        Tensor P = identity.sub(W.matmul(W.t()).mul(scalar(0.5)));
        Tensor S = P.matmul(xi).matmul(W.t());
        Tensor skew = S.sub(S.t()).mul(scalar(0.5));
        Tensor full = torch.linalg_solve(identity.sub(skew), identity.add(skew).matmul(W));
        assertThat(small.sub(full).norm().item_double()).isLessThan(1e-12);
    }

    @Test
    void shapes_that_cannot_be_orthonormal_are_refused() {
        assertThatThrownBy(() -> Stiefel.paper().random(DOUBLE, new Seed(1), 3, 4))
                .hasMessageContaining("1 <= p <= n");
    }

    @Test
    void plain_space_steps_by_adding() {
        Euclidean plain = new Euclidean();
        Tensor x = plain.random(DOUBLE, new Seed(1), 3, 2);
        Tensor d = new Seed(2).normal(DOUBLE, 3, 2);
        assertThat(plain.retraction(x, d).equal(x.add(d))).isTrue();
        assertThat(plain.gradient(x, d)).isSameAs(d);
        assertThat(plain.transport(x, d)).isSameAs(d);
        assertThat(plain.inner(x, d, d).item_double())
                .isCloseTo(plain.squaredSize(x, d).sum().item_double(), within(1e-12));
        assertThat(plain.violation(x)).isZero();
        assertThat(plain.allowsWeightDecay()).isTrue();
    }

    /** |sym(Wᵀξ)|, zero for a tangent vector. */
    private static double skewViolation(Tensor W, Tensor xi) {
        return Symmetric.part(W.t().matmul(xi)).norm().item_double();
    }

    /** A retraction of order zero: it goes only nine tenths of the way. */
    private record Lame(Stiefel inner) implements Manifold {
        @Override
        public Tensor projection(Tensor point, Tensor vector) {
            return inner.projection(point, vector);
        }

        @Override
        public Tensor gradient(Tensor point, Tensor plainGradient) {
            return inner.gradient(point, plainGradient);
        }

        @Override
        public Tensor retraction(Tensor point, Tensor tangent) {
            return inner.retraction(point, tangent.mul(scalar(0.9)));
        }

        @Override
        public Tensor inner(Tensor point, Tensor first, Tensor second) {
            return inner.inner(point, first, second);
        }

        @Override
        public Tensor squaredSize(Tensor point, Tensor gradient) {
            return inner.squaredSize(point, gradient);
        }

        @Override
        public Tensor random(Placement placement, Seed seed, long... shape) {
            return inner.random(placement, seed, shape);
        }

        @Override
        public double violation(Tensor point) {
            return inner.violation(point);
        }

        @Override
        public boolean allowsWeightDecay() {
            return false;
        }
    }
}
