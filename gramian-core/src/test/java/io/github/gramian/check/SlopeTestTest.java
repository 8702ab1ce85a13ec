package io.github.gramian.check;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.layer.kernel.RbfKernel;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlopeTestTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** A layer as a user would write it. */
    private static final Layer CUBE = (x, phase) ->
            Pass.of(x.pow(scalar(3.0)), g -> x.square().mul_(scalar(3.0)).mul_(g));

    @Test
    void a_correct_gradient_shows_slope_two() {
        Tensor x = new Seed(1).normal(DOUBLE, 2, 5);
        SlopeTest test = SlopeTest.ofGradient(CUBE, x, new Seed(2));
        assertThat(test.slope()).isBetween(1.9, 2.1);
        assertThat(test.passes()).isTrue();
        Layer kernel =
                KernelAggregation.of(new RbfKernel("k", new Bandwidth.PerImage(Bandwidth.Gradient.EXACT), DOUBLE));
        assertThat(SlopeTest.ofGradient(kernel, new Seed(3).normal(DOUBLE, 2, 5, 7), new Seed(4))
                        .passes())
                .isTrue();
    }

    @Test
    void a_linear_layer_has_no_error_to_see() {
        Layer twice = (x, phase) -> Pass.of(x.mul(scalar(2.0)), g -> g.mul(scalar(2.0)));
        assertThat(SlopeTest.ofGradient(twice, new Seed(1).normal(DOUBLE, 2, 5), new Seed(2))
                        .passes())
                .isTrue();
    }

    @Test
    void an_incorrect_gradient_shows_slope_one() {
        Layer wrong = (x, phase) -> {
            Pass right = CUBE.forward(x, phase);
            return Pass.of(right.output(), g -> right.backward(g).mul(scalar(1.01)));
        };
        SlopeTest test = SlopeTest.ofGradient(wrong, new Seed(1).normal(DOUBLE, 2, 5), new Seed(2));
        assertThat(test.slope()).isLessThan(1.6);
        assertThat(test.passes()).isFalse();
    }
}
