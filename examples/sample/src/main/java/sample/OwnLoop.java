package sample;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.EigenLayer;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.FullyConnected;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.layer.SpdTransformation;
import io.github.gramian.layer.Vectorisation;
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

/** SPD layers with your own training loop: covariance matrices of signals, without images, recipes or models. */
public final class OwnLoop {

    private static final Placement CPU = Placement.cpu(Precision.DOUBLE);
    private static final int STEPS = 60;

    private OwnLoop() {}

    /** The losses of all steps on 60 covariance matrices of three classes. */
    static double[] train() {
        double[] losses = new double[STEPS];
        try (Scope outer = Scope.open()) {
            Tensor labels = torch.arange(scalar(60L)).remainder(scalar(3L));
            Tensor scales = new Seed(1).normal(CPU, 3, 12).mul(scalar(0.3)).exp();
            Tensor signals = new Seed(2)
                    .normal(CPU, 60, 12, 40)
                    .mul(scales.index_select(0, labels).unsqueeze(2));
            Tensor covariances = signals.matmul(signals.mT()).div(scalar(40.0));
            Layer network = Sequence.of( // SPDNet: Y = WᵀKW, ReEig, LogEig, the upper triangle, a classifier
                    SpdTransformation.random("transform", 12, 6, Stiefel.paper(), CPU, new Seed(3)),
                    EigenLayer.rectifier(1e-3),
                    EigenLayer.logarithm(1e-3),
                    new Vectorisation(6, Fidelity.EXACT, CPU),
                    FullyConnected.zeros("classifier", 21, 3, CPU));
            try (Optimizer optimizer = new RiemannianAdam(List.of(ParameterGroup.of(network.parameters())))) {
                for (int step = 0; step < STEPS; step++) {
                    losses[step] = step(network, optimizer, covariances, labels, step);
                }
            }
        }
        return losses;
    }

    private static double step(Layer network, Optimizer optimizer, Tensor inputs, Tensor labels, int number) {
        try (Scope scope = Scope.open()) { // frees the step's tensors
            Pass pass = network.forward(inputs, Phase.training(new Seed(number)));
            SoftmaxCrossEntropy.Result loss = SoftmaxCrossEntropy.plain().of(pass.output(), labels);
            optimizer.clearGradients();
            pass.backward(loss.logitGradient());
            optimizer.step(0.03);
            return loss.loss().item_double();
        }
    }
}
