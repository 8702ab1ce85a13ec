package examples;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.FullyConnected;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.manifold.Manifold;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianAdam;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;

/** SPD layers without images, recipes or models: covariance matrices of signals are classified by an own training loop. */
class OwnLoopTest {

    private static final Placement CPU = Placement.cpu(Precision.DOUBLE);

    @Test
    void covariance_matrices_are_classified() {
        try (Scope outer = Scope.open()) {
            Tensor labels = torch.arange(scalar(60L)).remainder(scalar(3L));
            Tensor scales = new Seed(1).normal(CPU, 3, 12).mul(scalar(0.3)).exp();
            Tensor signals = new Seed(2)
                    .normal(CPU, 60, 12, 40)
                    .mul(scales.index_select(0, labels).unsqueeze(2));
            Tensor covariances = signals.matmul(signals.mT()).div(scalar(40.0));
            SpdTransformation transform =
                    SpdTransformation.random("transform", 12, 6, Stiefel.paper(), CPU, new Seed(3));

            double[] losses = trained(transform, covariances, labels);

            assertThat(losses[losses.length - 1]).isLessThan(0.5 * losses[0]);
            assertThat(Stiefel.paper().violation(transform.weight().value())).isLessThan(1e-9);
        }
    }

    private static double[] trained(SpdTransformation transform, Tensor covariances, Tensor labels) {
        double[] losses = new double[60];
        Layer network = Sequence.of( // SPDNet: Y = WᵀKW, ReEig, LogEig, the upper triangle, a classifier
                transform,
                EigenLayer.rectifier(1e-3),
                EigenLayer.logarithm(1e-3),
                new Vectorisation(6, Fidelity.EXACT, CPU),
                FullyConnected.zeros("classifier", 21, 3, CPU));
        try (Optimizer optimizer = new RiemannianAdam(List.of(ParameterGroup.of(network.parameters())))) {
            for (int step = 0; step < losses.length; step++) {
                try (Scope scope = Scope.open()) { // frees the step's tensors
                    Pass pass = network.forward(covariances, Phase.training(new Seed(step)));
                    SoftmaxCrossEntropy.Result loss =
                            SoftmaxCrossEntropy.plain().of(pass.output(), labels);
                    optimizer.clearGradients();
                    pass.backward(loss.logitGradient());
                    optimizer.step(0.03);
                    losses[step] = loss.loss().item_double();
                }
            }
        }
        return losses;
    }

    /** The direction is the sign of each entry, projected onto the manifold: an optimizer in a few lines. */
    static final class SignDescent extends Optimizer {

        SignDescent(List<ParameterGroup> groups) {
            super(groups);
        }

        @Override
        protected Tensor direction(Parameter parameter, Tensor gradient) {
            return parameter.manifold().gradient(parameter.value(), gradient.sign());
        }
    }

    @Test
    void your_own_optimizer_moves_your_own_parameter_along_its_manifold() {
        try (Scope outer = Scope.open()) {
            Tensor A = torch.diag(torch.arange(scalar(20.0), CPU.options()));
            Manifold stiefel = Stiefel.paper();
            try (Parameter W = Parameter.of("W", stiefel.random(CPU, new Seed(1), 20, 3), stiefel);
                    Optimizer optimizer = new SignDescent(List.of(ParameterGroup.of(List.of(W))))) {
                double before = captured(A, W);
                for (int step = 0; step < 100; step++) {
                    try (Scope scope = Scope.open()) {
                        optimizer.clearGradients();
                        W.accumulate(A.matmul(W.value()).mul(scalar(-2.0))); // the gradient of −tr WᵀAW
                        optimizer.step(0.01);
                    }
                }
                assertThat(captured(A, W)).isGreaterThan(before + 5);
                assertThat(Stiefel.paper().violation(W.value())).isLessThan(1e-9);
            }
        }
    }

    private static double captured(Tensor A, Parameter W) {
        return W.value().t().matmul(A).matmul(W.value()).trace().item_double();
    }
}
