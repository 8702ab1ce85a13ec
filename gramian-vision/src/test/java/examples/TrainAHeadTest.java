package examples;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.model.Head;
import io.github.gramian.model.config.HeadConfig;
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

/** The training loop of the README, on synthetic features of ten kinds. */
class TrainAHeadTest {

    @Test
    void a_head_trains_in_twenty_lines() {
        int steps = 12;
        try (Scope outer = Scope.open()) {
            Tensor labels = torch.arange(scalar(10L));
            Tensor features = new Seed(7)
                    .normal(Placement.cpu(Precision.FLOAT), 10, 2048, 49)
                    .relu_();
            double[] losses = new double[steps];

            Placement cpu = Placement.cpu(Precision.FLOAT);
            HeadConfig config =
                    HeadConfig.standard(2048, 256, 64, 10, Fidelity.EXACT); // channels → 1×1 conv → C′ → classes
            try (Head head = new Head(config, cpu, new Seed(1));
                    Optimizer optimizer = new RiemannianSgd(
                            List.of(ParameterGroup.of(head.parameters()).withClip(1)), 0.9)) {
                for (int step = 0; step < steps; step++) {
                    try (Scope scope = Scope.open()) { // frees the step's tensors
                        Pass pass = head.forward(features, Phase.training(new Seed(step)));
                        SoftmaxCrossEntropy.Result loss =
                                SoftmaxCrossEntropy.plain().of(pass.output(), labels);
                        optimizer.clearGradients();
                        pass.backward(loss.logitGradient());
                        optimizer.step(0.05);
                        losses[step] = loss.loss().item_double();
                    }
                }
            }
            assertThat(losses[steps - 1]).isLessThan(losses[0]);
        }
    }
}
