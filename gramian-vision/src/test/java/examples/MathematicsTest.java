package examples;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Manifold;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;

/** The examples of docs/java.md for people who want the layers, manifolds and optimizers without images. */
class MathematicsTest {

    @Test
    void a_layer_of_your_own_proves_its_gradient() {
        Layer signedSquare =
                (x, phase) -> Pass.of(x.mul(x.abs()), dy -> dy.mul(x.abs()).mul(scalar(2.0)));
        Placement cpu = Placement.cpu(Precision.DOUBLE);
        try (Scope scope = Scope.open()) {
            Tensor input = new Seed(1).normal(cpu, 4, 10);
            double error = GradientCheck.on(GradientCheck.Domain.ANY).worstError(signedSquare, input, new Seed(2));
            assertThat(error).isLessThan(1e-7);
        }
        Layer wrong = (x, phase) -> Pass.of(x.mul(x.abs()), dy -> dy.mul(x.abs()));
        try (Scope scope = Scope.open()) {
            Tensor input = new Seed(1).normal(cpu, 4, 10);
            assertThat(GradientCheck.on(GradientCheck.Domain.ANY).worstError(wrong, input, new Seed(2)))
                    .as("a factor of 2 is missing")
                    .isGreaterThan(0.1);
        }
    }

    @Test
    void orthonormal_columns_find_the_leading_eigenvectors() {
        Placement cpu = Placement.cpu(Precision.DOUBLE);
        try (Scope outer = Scope.open()) {
            Tensor A = torch.diag(torch.arange(scalar(20.0), cpu.options()));
            double captured = leading(A, cpu);
            assertThat(captured).isGreaterThan(0.999 * (19 + 18 + 17));
        }
    }

    /** tr WᵀAW at its maximum over W with three orthonormal columns. */
    private static double leading(Tensor A, Placement cpu) {
        Manifold stiefel = Stiefel.paper();
        try (Parameter W =
                        Parameter.of("W", Parameter.Role.TRANSFORM, stiefel.random(cpu, new Seed(1), 20, 3), stiefel);
                Optimizer optimizer = new RiemannianSgd(List.of(ParameterGroup.of(List.of(W))), 0.9)) {
            for (int step = 0; step < 500; step++) {
                try (Scope scope = Scope.open()) { // frees the step's tensors
                    optimizer.clearGradients();
                    W.accumulate(A.matmul(W.value()).mul(scalar(-2.0))); // the gradient of −tr WᵀAW
                    optimizer.step(0.005);
                }
            }
            try (Scope scope = Scope.open()) {
                return W.value().t().matmul(A).matmul(W.value()).trace().item_double();
            }
        }
    }
}
