package io.github.gramian.optim;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.FullForm;
import io.github.gramian.layer.Parameter;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.manifold.Metric;
import io.github.gramian.manifold.Retraction;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Doubles;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class OptimizerTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    static Stream<Arguments> optimizersOnEveryStiefel() {
        Map<String, Function<List<ParameterGroup>, Optimizer>> kinds = Map.of(
                "SGD", groups -> new RiemannianSgd(groups, 0),
                "SGD with momentum", groups -> new RiemannianSgd(groups, 0.9),
                "Adam", RiemannianAdam::new);
        return Stream.of(Metric.values())
                .flatMap(metric -> Stream.of(Retraction.values()).map(way -> new Stiefel(metric, way)))
                .flatMap(stiefel ->
                        kinds.entrySet().stream().map(kind -> Arguments.of(kind.getKey(), kind.getValue(), stiefel)));
    }

    /** Maximise tr WᵀAW: the columns of W span the leading eigenspace of A. */
    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("optimizersOnEveryStiefel")
    void the_leading_eigenspace_of_a_known_matrix_is_found(
            String name, Function<List<ParameterGroup>, Optimizer> kind, Stiefel stiefel) {
        int n = 12;
        int p = 3;
        double[] spectrum = {10, 9, 8, 3, 2.5, 2, 1.5, 1, 0.8, 0.5, 0.2, 0.1};
        Tensor U = torch.linalg_qr(new Seed(1).normal(DOUBLE, n, n)).get0().clone();
        Tensor A = Symmetric.compose(Doubles.row(spectrum), U);
        Tensor leading = Symmetric.eigen(A).vectors().narrow(1, n - p, p);

        try (Parameter W = Parameter.of(
                        "W", Parameter.Role.TRANSFORM, stiefel.random(DOUBLE, new Seed(2), n, p), stiefel);
                Optimizer optimizer = kind.apply(List.of(ParameterGroup.of(List.of(W))))) {
            boolean adam = name.equals("Adam");
            for (int step = 0; step < (adam ? 1000 : 400); step++) {
                try (Scope inner = Scope.open()) {
                    optimizer.clearGradients();
                    W.accumulate(A.matmul(W.value()).mul_(scalar(-2.0)));
                    // Adam's steps keep their length; a falling rate lets it settle.
                    optimizer.step(adam ? 0.3 * Math.pow(0.985, step) : 0.01);
                }
            }
            Tensor projector = W.value().matmul(W.value().t());
            double error = projector.sub(leading.matmul(leading.t())).norm().item_double();
            assertThat(error).isLessThan(1e-6);
            assertThat(stiefel.violation(W.value())).isLessThan(1e-12);
        }
    }

    /** The whole distance with -Dgramian.test.full=true, a little of it otherwise. */
    @ParameterizedTest
    @EnumSource(Retraction.class)
    void ten_thousand_float_steps_keep_columns_orthonormal(Retraction way) {
        int steps = FullForm.rounds(10_000, 500);
        int rows = 192;
        int columns = 64;
        Placement placement = Placement.cpu(Precision.FLOAT);
        Stiefel stiefel = new Stiefel(Metric.CANONICAL, way);
        Tensor target = new Seed(3).normal(placement, rows, columns);
        try (Parameter W = Parameter.of(
                        "W", Parameter.Role.TRANSFORM, stiefel.random(placement, new Seed(4), rows, columns), stiefel);
                Optimizer optimizer =
                        new RiemannianSgd(List.of(ParameterGroup.of(List.of(W)).withClip(1)), 0.9)) {
            double worst = 0;
            for (int step = 0; step < steps; step++) {
                try (Scope inner = Scope.open()) {
                    optimizer.clearGradients();
                    // A drifting target and noise: the gradient never dies down.
                    Tensor noise = new Seed(step).normal(placement, 1, columns);
                    W.accumulate(W.value().sub(target).mul_(noise));
                    optimizer.step(0.05);
                    if (step % 50 == 0 || step == steps - 1) {
                        worst = Math.max(worst, stiefel.violation(W.value()));
                    }
                }
            }
            assertThat(worst).isLessThanOrEqualTo(1e-5);
        }
    }

    @Test
    void without_momentum_a_step_is_the_paper_s_formula() {
        Stiefel stiefel = Stiefel.paper();
        Tensor W0 = stiefel.random(DOUBLE, new Seed(5), 6, 3);
        Tensor G = new Seed(6).normal(DOUBLE, 6, 3);
        try (Parameter W = Parameter.of("W", Parameter.Role.TRANSFORM, W0.clone(), stiefel);
                Optimizer optimizer = new RiemannianSgd(List.of(ParameterGroup.of(List.of(W))), 0)) {
            W.accumulate(G);
            optimizer.step(0.1);
            Tensor tangent = G.sub(W0.matmul(G.t()).matmul(W0));
            Tensor moved = W0.sub(tangent.mul(scalar(0.1)));
            // The same point as Q of the QR decomposition: same column space, positive products column by column.
            Tensor R = W.value().t().matmul(moved);
            assertThat(W.value().matmul(R).sub(moved).norm().item_double()).isLessThan(1e-12);
            assertThat(R.tril(-1).norm().item_double()).isLessThan(1e-12);
            assertThat(R.diagonal().min().item_double()).isPositive();
        }
    }

    @Test
    void groups_have_their_own_rate_clip_and_decay() {
        try (Parameter a = Parameter.of("a", Parameter.Role.CONVOLUTION, Doubles.row(1, 2));
                Parameter b = Parameter.of("b", Parameter.Role.CONVOLUTION, Doubles.row(3, 4));
                Parameter W =
                        Parameter.of("W", Parameter.Role.TRANSFORM, torch.eye(2, DOUBLE.options()), Stiefel.paper());
                Parameter seen = Parameter.statistic("seen", Doubles.row(7))) {
            ParameterGroup fast =
                    ParameterGroup.of(List.of(a, seen)).withRateFactor(10).withWeightDecay(0.5);
            ParameterGroup clipped = ParameterGroup.of(List.of(b)).withClip(1);
            ParameterGroup still = ParameterGroup.of(List.of(W)).withWeightDecay(0.5);
            try (Optimizer optimizer = new RiemannianSgd(List.of(fast, clipped, still), 0)) {
                b.accumulate(Doubles.row(30, 40));
                optimizer.step(0.01);
                // a: decay 0.5·a at rate 0.1; b: gradient shortened to (0.6, 0.8); W: no decay on a manifold.
                assertThat(a.value().sub(Doubles.row(0.95, 1.9)).norm().item_double())
                        .isLessThan(1e-12);
                assertThat(b.value().sub(Doubles.row(2.994, 3.992)).norm().item_double())
                        .isLessThan(1e-12);
                assertThat(W.value().equal(torch.eye(2, DOUBLE.options()))).isTrue();
                assertThat(seen.value().item_double()).isEqualTo(7);
            }
        }
    }

    @Test
    void adam_in_plain_space_takes_the_textbook_s_first_steps() {
        try (Parameter x = Parameter.of("x", Parameter.Role.CONVOLUTION, Doubles.row(1));
                Optimizer optimizer = new RiemannianAdam(List.of(ParameterGroup.of(List.of(x))))) {
            double value = 1;
            double m = 0;
            double s = 0;
            for (int step = 1; step <= 5; step++) {
                double g = 2 * value;
                m = 0.9 * m + 0.1 * g;
                s = 0.999 * s + 0.001 * g * g;
                value -= 0.1 * (m / (1 - Math.pow(0.9, step))) / (Math.sqrt(s / (1 - Math.pow(0.999, step))) + 1e-8);
                optimizer.clearGradients();
                x.accumulate(x.value().mul(scalar(2.0)));
                optimizer.step(0.1);
                assertThat(x.value().item_double()).isCloseTo(value, within(1e-12));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void a_restored_optimizer_continues_exactly(Kind kind) {
        Tensor straight = run(kind, 10, -1);
        Tensor interrupted = run(kind, 10, 6);
        assertThat(straight.equal(interrupted)).isTrue();
    }

    enum Kind {
        SGD,
        ADAM;

        Optimizer on(Parameter parameter) {
            List<ParameterGroup> groups = List.of(ParameterGroup.of(List.of(parameter)));
            return this == SGD ? new RiemannianSgd(groups, 0.9) : new RiemannianAdam(groups);
        }
    }

    private static Tensor run(Kind kind, int steps, int interruptAt) {
        Stiefel stiefel = Stiefel.paper();
        Parameter W = Parameter.of("W", Parameter.Role.TRANSFORM, stiefel.random(DOUBLE, new Seed(8), 5, 2), stiefel);
        Optimizer optimizer = kind.on(W);
        for (int step = 0; step < steps; step++) {
            if (step == interruptAt) {
                Optimizer fresh = kind.on(W);
                fresh.restore(optimizer.state());
                optimizer.close();
                optimizer = fresh;
            }
            optimizer.clearGradients();
            W.accumulate(new Seed(step).normal(DOUBLE, 5, 2));
            optimizer.step(0.1);
        }
        optimizer.close();
        return W.value();
    }

    @Test
    void wrong_settings_are_refused() {
        Parameter a = Parameter.of("same", Parameter.Role.CONVOLUTION, Doubles.row(1));
        Parameter b = Parameter.of("same", Parameter.Role.CONVOLUTION, Doubles.row(1));
        List<ParameterGroup> none = List.of();
        assertThatThrownBy(() -> new RiemannianSgd(List.of(ParameterGroup.of(List.of(a, b))), 0))
                .hasMessageContaining("share a name");
        assertThatThrownBy(() -> new RiemannianSgd(none, 1)).hasMessageContaining("momentum");
        assertThatThrownBy(() -> new RiemannianAdam(none, 1, 0.9, 1e-8)).hasMessageContaining("beta1");
        assertThatThrownBy(() -> ParameterGroup.of(List.of()).withClip(0)).hasMessageContaining("clip");
        assertThatThrownBy(() -> ParameterGroup.of(List.of()).withRateFactor(-1))
                .hasMessageContaining("rate factor");
        assertThatThrownBy(() -> ParameterGroup.of(List.of()).withWeightDecay(1))
                .hasMessageContaining("decay");
    }
}
