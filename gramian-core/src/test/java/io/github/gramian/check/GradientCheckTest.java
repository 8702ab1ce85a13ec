package io.github.gramian.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.check.GradientCheck.Domain;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;

class GradientCheckTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    /** y = w ∘ x, refused once w has been moved. */
    private record Touchy(Parameter w, Tensor start) implements Layer {

        @Override
        public Pass forward(Tensor x, Phase phase) {
            if (!w.value().equal(start)) {
                throw new IllegalStateException("w was moved");
            }
            return Pass.of(x.mul(start), dy -> {
                w.accumulate(dy.mul(x));
                return dy.mul(start);
            });
        }

        @Override
        public List<Parameter> parameters() {
            return List.of(w);
        }
    }

    @Test
    void a_parameter_keeps_its_value_when_the_layer_fails_meanwhile() {
        try (Scope scope = Scope.open();
                Layer layer = touchy()) {
            Tensor w = layer.parameters().get(0).value();
            Tensor before = w.clone();
            assertThatThrownBy(() ->
                            GradientCheck.on(Domain.ANY).findings(layer, new Seed(2).normal(DOUBLE, 3), new Seed(3)))
                    .hasMessage("w was moved");
            assertThat(w.equal(before)).isTrue();
        }
    }

    private static Layer touchy() {
        Tensor start = new Seed(1).normal(DOUBLE, 3);
        return new Touchy(Parameter.of("w", Parameter.Role.CONVOLUTION, start.clone()), start);
    }
}
