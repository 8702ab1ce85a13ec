package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DropoutTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** One training step again and again, so that the check of layers sees one function. */
    private record OneStep(Layer layer, Phase step) implements Layer {
        @Override
        public Pass forward(Tensor input, Phase phase) {
            return layer.forward(input, step);
        }
    }

    private static Tensor ones(long rows, long columns) {
        return torch.ones(new long[] {rows, columns}, DOUBLE.options());
    }

    private static Tensor dropped(String name, double probability, long seed, Tensor rows) {
        return new Dropout(name, probability)
                .forward(rows, Phase.training(new Seed(seed)))
                .output();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void the_gradient_of_a_training_step_agrees_with_differences_and_autograd(long seed) {
        Layer step = new OneStep(new Dropout("d", 0.4), Phase.training(new Seed(seed)));
        Tensor rows = new Seed(seed).child("rows").normal(DOUBLE, 3, 20);
        assertThat(GradientCheck.on(GradientCheck.Domain.ANY).worstError(step, rows, new Seed(seed)))
                .isLessThan(1e-9);
        Tensor mask = dropped("d", 0.4, seed, ones(3, 20));
        assertThat(AutogradComparison.of(step, rows, (v, p) -> v.mul(mask), new Seed(seed))
                        .worstError())
                .isLessThan(1e-12);
    }

    @Test
    void the_given_fraction_is_dropped_and_the_mean_is_preserved() {
        Tensor z = dropped("d", 0.3, 1, ones(100, 400));
        double left = z.eq(scalar(0.0)).to(z.scalar_type()).mean().item_double();
        assertThat(left).isCloseTo(0.3, within(0.01));
        assertThat(z.mean().item_double()).isCloseTo(1, within(0.02));
        assertThat(z.max().item_double()).isCloseTo(1 / 0.7, within(1e-12));
    }

    @Test
    void a_repeated_step_drops_the_same_entries_and_other_steps_drop_others() {
        Tensor rows = ones(4, 50);
        Tensor once = dropped("branch1.dropout", 0.5, 1, rows);
        assertThat(once.equal(dropped("branch1.dropout", 0.5, 1, rows))).isTrue();
        assertThat(once.equal(dropped("branch1.dropout", 0.5, 2, rows))).isFalse();
        assertThat(once.equal(dropped("branch2.dropout", 0.5, 1, rows))).isFalse();
    }

    @Test
    void impossible_probabilities_are_refused() {
        assertThatThrownBy(() -> new Dropout("d", 1)).hasMessageContaining("dropout must lie in [0, 1)");
        assertThatThrownBy(() -> new Dropout("d", -0.1)).hasMessageContaining("dropout");
    }
}
