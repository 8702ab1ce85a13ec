package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gramian.check.FullForm;
import io.github.gramian.check.ResidentMemory;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.optim.ParameterGroup;
import io.github.gramian.optim.RiemannianSgd;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Days of training in one process must not leak memory. 400 steps with -Dgramian.test.full=true, 30 otherwise; the same
 * network either way.
 */
@Tag("slow")
class TrainingSoakTest {

    @Test
    void resident_memory_does_not_grow_from_step_to_step() throws IOException {
        assumeTrue(ResidentMemory.isKnown(), "resident memory is read from /proc");
        int steps = FullForm.rounds(400, 30);
        int settled = FullForm.rounds(100, 15);
        long before = train(steps, settled);
        long after = ResidentMemory.kilobytes();
        assertThat((double) after / before)
                .as("resident memory: %d kB after step %d, %d kB after step %d", before, settled, after, steps)
                .isLessThan(FullForm.isOn() ? 1.03 : 1.06);
    }

    private static long train(int steps, int settled) throws IOException {
        Placement placement = Placement.cpu(Precision.FLOAT);
        HeadConfig config = HeadConfig.standard(512, 512, 512, 20, Fidelity.EXACT)
                .withDescriptor(new DescriptorConfig(0, 1e-3, 0.1, Fidelity.EXACT));
        SoftmaxCrossEntropy loss = new SoftmaxCrossEntropy(0.1, 5);
        long residentWhenSettled = 0;
        try (Head head = new Head(config, placement, new Seed(1));
                Optimizer optimizer = new RiemannianSgd(
                        List.of(ParameterGroup.of(head.parameters()).withClip(1).withWeightDecay(1e-4)), 0.9)) {
            for (int step = 1; step <= steps; step++) {
                try (Scope scope = Scope.open()) {
                    Tensor features =
                            new Seed(step).normal(placement, 8, 512, 196).relu_();
                    Tensor labels = torch.tensor(new long[] {0, 1, 2, 3, 4, 5, 6, 7});
                    optimizer.clearGradients();
                    Pass pass = head.forward(features, Phase.training(new Seed(step)));
                    pass.backward(loss.of(pass.output(), labels).logitGradient());
                    optimizer.step(0.01);
                }
                if (step == settled) {
                    residentWhenSettled = ResidentMemory.kilobytes();
                }
            }
        }
        return residentWhenSettled;
    }
}
