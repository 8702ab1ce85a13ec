package io.github.gramian.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Head;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.HeadConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.Locale;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorArrayRefOptional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of docs/numerics.md: float gradients of the head against double, at full size. */
@Tag("slow")
class FloatGradientTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int BATCH = 8;
    private static final int SIZE = 512;

    @ParameterizedTest
    @CsvSource({"1e-6, 0.1", "1e-4, 2e-3", "1e-3, 1e-4", "1e-2, 5e-5"})
    void epsilon_decides_how_accurate_float_gradients_are(double epsilon, double limit) {
        HeadConfig config = HeadConfig.standard(SIZE, 0, SIZE, 2, Fidelity.EXACT)
                .withAggregation(AggregationConfig.standard(Fidelity.PAPER))
                .withDescriptor(new DescriptorConfig(0, epsilon, 0, Fidelity.EXACT));
        try (Scope scope = Scope.open();
                Head head = new Head(config, FLOAT, new Seed(1));
                Head exact = new Head(config, DOUBLE, new Seed(1));
                PlainHead plain = new PlainHead(SIZE, epsilon, FLOAT)) {
            Tensor W = head.parameters().get(0).value();
            Parameter exactW = exact.parameters().get(0);
            exactW.assign(DOUBLE.place(W));
            Tensor M = new Seed(2).normal(FLOAT, BATCH, SIZE, 196).relu_();
            Tensor G = new Seed(3).normal(FLOAT, BATCH, config.descriptorLength());

            Tensor truth = gradient(exact, DOUBLE.place(M), DOUBLE.place(G));
            Tensor ours = gradient(head, M, G);
            Tensor x = M.detach().set_requires_grad(true);
            plain.descriptor(x, W).backward(G, new BoolOptional(), false, new TensorArrayRefOptional());
            Tensor theirs = x.grad();

            double ourError = relative(ours, truth);
            double theirError = relative(theirs, truth);
            double difference = relative(ours, DOUBLE.place(theirs));
            System.out.printf(
                    Locale.ROOT, "| %.0e | %.1e | %.1e | %.1e |%n", epsilon, ourError, theirError, difference);
            assertThat(ourError).isLessThan(limit);
            assertThat(theirError).isLessThan(limit);
            assertThat(difference).isLessThan(limit);
        }
    }

    private static Tensor gradient(Head head, Tensor M, Tensor G) {
        return head.descriptor().forward(M, Phase.inference()).backward(G);
    }

    private static double relative(Tensor actual, Tensor expected) {
        return DOUBLE.place(actual).sub(expected).norm().item_double()
                / expected.norm().item_double();
    }
}
