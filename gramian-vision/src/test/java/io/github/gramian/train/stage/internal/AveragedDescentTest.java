package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;

class AveragedDescentTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final double DECAY = 0.5;

    private static AveragedDescent descent(double decay, Parameter... parameters) {
        return new AveragedDescent(
                new RiemannianSgd(List.of(ParameterGroup.of(List.of(parameters))), 0), List.of(parameters), decay);
    }

    private static double value(Parameter parameter) {
        return parameter.value().sum().item_double();
    }

    /** w moves from 10 by −1 a step; 2/11, 3/12 and 4/13 lie below the decay of ½, the ninth step's 10/19 does not. */
    @Test
    void the_mean_of_weights_follows_its_formula_and_the_weights_do_not_notice() {
        try (Scope scope = Scope.open();
                Parameter w = Parameter.of(
                        "w", Parameter.Role.CONVOLUTION, torch.full(new long[] {1}, scalar(10), DOUBLE.options()));
                AveragedDescent descent = descent(DECAY, w)) {
            descent.begin();
            double mean = 10;
            for (int done = 0; done < 12; done++) {
                w.accumulate(torch.ones_like(w.value()));
                descent.step(1, done);
                descent.clearGradients();
                int t = done + 1;
                mean += (1 - Math.min(DECAY, (1.0 + t) / (10.0 + t))) * (10 - t - mean);
                try (AveragedDescent.Means means = descent.means()) {
                    assertThat(value(w)).isCloseTo(mean, within(1e-12));
                }
                assertThat(value(w)).isEqualTo(10 - t);
            }
            descent.keepMeans();
            assertThat(value(w)).isCloseTo(mean, within(1e-12));
        }
    }

    @Test
    void the_mean_of_orthonormal_matrices_is_the_nearest_orthonormal_matrix() {
        Stiefel manifold = Stiefel.paper();
        try (Scope scope = Scope.open();
                Parameter W = Parameter.of(
                        "W", Parameter.Role.TRANSFORM, manifold.random(DOUBLE, new Seed(1), 6, 3), manifold);
                AveragedDescent descent = descent(DECAY, W)) {
            descent.begin();
            Tensor mean = W.value().clone();
            for (int done = 0; done < 4; done++) {
                W.accumulate(new Seed(2).child(done).normal(DOUBLE, 6, 3));
                descent.step(0.3, done);
                descent.clearGradients();
                mean.lerp_(W.value(), scalar(1 - Math.min(DECAY, (2.0 + done) / (11.0 + done))));
            }
            assertThat(manifold.violation(mean)).as("the plain mean").isGreaterThan(1e-3);
            descent.keepMeans();
            assertThat(manifold.violation(W.value())).isLessThan(1e-12);
            // A = QS with S symmetric and positive: QᵀA is symmetric where Q is the polar factor, and only there.
            Tensor QtA = W.value().t().matmul(mean);
            assertThat(QtA.sub(QtA.t()).abs().max().item_double()).isLessThan(1e-12);
        }
    }

    @Test
    void a_state_that_is_restored_goes_on_with_the_same_means() {
        try (Scope scope = Scope.open();
                Parameter w =
                        Parameter.of("w", Parameter.Role.CONVOLUTION, torch.zeros(new long[] {2}, DOUBLE.options()));
                AveragedDescent descent = descent(DECAY, w);
                AveragedDescent other = descent(DECAY, w)) {
            descent.begin();
            w.accumulate(torch.ones_like(w.value()));
            descent.step(1, 0);
            Map<String, Tensor> saved = new HashMap<>();
            descent.state().forEach((name, tensor) -> saved.put(name, tensor.clone()));
            other.restore(saved);
            try (AveragedDescent.Means means = other.means()) {
                assertThat(value(w)).isCloseTo(-2 * 9.0 / 11, within(1e-12));
            }
        }
    }

    @Test
    void without_a_decay_there_is_nothing_to_keep() {
        try (Scope scope = Scope.open();
                Parameter w =
                        Parameter.of("w", Parameter.Role.CONVOLUTION, torch.zeros(new long[] {2}, DOUBLE.options()));
                AveragedDescent descent = descent(0, w)) {
            descent.begin();
            w.accumulate(torch.ones_like(w.value()));
            descent.step(1, 0);
            assertThat(descent.state().keySet()).noneMatch(name -> name.startsWith("mean/"));
            descent.keepMeans();
            assertThat(value(w)).isEqualTo(-2);
        }
    }
}
