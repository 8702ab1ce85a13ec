package io.github.gramian.model.explain.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.Sequence;
import io.github.gramian.layer.Vectorisation;
import io.github.gramian.layer.kernel.InnerProductKernel;
import io.github.gramian.layer.kernel.KernelAggregation;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContributionsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int CHANNELS = 5;
    private static final int POSITIONS = 7;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static Tensor maps(long seed) {
        return new Seed(seed).child("maps").normal(DOUBLE, 1, CHANNELS, POSITIONS);
    }

    private static Tensor direction(long seed, long length) {
        return new Seed(seed).child("classifier").normal(DOUBLE, 1, length);
    }

    /** Bilinear pooling without any normalisation after it. */
    private static Layer linear() {
        return Sequence.of(
                KernelAggregation.of(new InnerProductKernel.Linear()),
                new Vectorisation(CHANNELS, Fidelity.EXACT, DOUBLE));
    }

    /** The standard branch: convolution, RBF kernel with a bandwidth per image, power and l2 normalisation. */
    private static Branch standard(long seed) {
        AggregatorConfig kernel = new AggregatorConfig.SpdMatrix(AggregationConfig.standard(Fidelity.EXACT), List.of());
        DescriptorConfig descriptor = new DescriptorConfig(0, 1e-3, 0, Fidelity.EXACT);
        return new Branch(
                "", new BranchConfig("last", 32, 4, false, kernel, descriptor), CHANNELS, DOUBLE, new Seed(seed));
    }

    private static double score(Layer branch, Tensor maps, Tensor direction) {
        return direction.mul(branch.apply(maps)).sum().item_double();
    }

    private static double[] values(Tensor contributions) {
        double[] values = new double[(int) contributions.numel()];
        contributions
                .contiguous()
                .data_ptr_double()
                .capacity(values.length)
                .asBuffer()
                .get(values);
        return values;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void contributions_of_a_linear_kernel_sum_to_the_score(long seed) {
        Tensor M = maps(seed);
        try (Layer branch = linear()) {
            Tensor b = direction(seed, CHANNELS * (CHANNELS + 1) / 2);
            Tensor contributions = Contributions.of(branch, M, torch.zeros_like(M), b);
            double score = score(branch, M, b);
            assertThat(contributions.sum().item_double()).isCloseTo(score, within(1e-12 * (1 + Math.abs(score))));
            // Euler's theorem, position by position: half of M · ∂s/∂M.
            Tensor gradient = branch.forward(M, Phase.inference()).backward(b);
            Tensor halves = M.mul(gradient).sum(1).mul_(scalar(0.5));
            assertThat(values(contributions)).containsExactly(values(halves), within(1e-12));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void contributions_agree_with_central_differences_of_the_score(long seed) {
        Tensor M = maps(seed);
        Tensor baseline = Contributions.meanPosition(M);
        try (Branch branch = standard(seed)) {
            Tensor b = direction(seed, branch.config().length(CHANNELS));
            double[] found = values(Contributions.of(branch, M, baseline, b));
            double[] nodes = {0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)};
            double[] weights = {5 / 18.0, 8 / 18.0, 5 / 18.0};
            Tensor difference = M.sub(baseline);
            for (int n = 0; n < POSITIONS; n++) {
                Tensor column = torch.zeros_like(M);
                column.select(2, n).copy_(difference.select(2, n));
                double expected = 0;
                for (int i = 0; i < nodes.length; i++) {
                    Tensor point = baseline.add(difference, scalar(nodes[i]));
                    double step = 1e-5;
                    double above = score(branch, point.add(column, scalar(step)), b);
                    double below = score(branch, point.add(column, scalar(-step)), b);
                    expected += weights[i] * (above - below) / (2 * step);
                }
                assertThat(found[n]).as("position " + n).isCloseTo(expected, within(1e-6));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void contributions_sum_to_the_gain_over_the_baseline_also_after_normalisation(long seed) {
        Tensor M = maps(seed);
        Tensor baseline = Contributions.meanPosition(M);
        // Three points per piece of the path approximate the integral of a curved score; many pieces make it exact.
        int pieces = 200;
        Tensor step = M.sub(baseline).mul_(scalar(1.0 / pieces));
        try (Branch branch = standard(seed)) {
            Tensor b = direction(seed, branch.config().length(CHANNELS));
            double gain = score(branch, M, b) - score(branch, baseline, b);
            double sum = 0;
            for (int i = 0; i < pieces; i++) {
                Tensor from = baseline.add(step, scalar(i));
                sum += Contributions.of(branch, from.add(step), from, b).sum().item_double();
            }
            assertThat(sum).isCloseTo(gain, within(1e-3));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1})
    void gradients_of_parameters_are_zero_afterwards(long seed) {
        Tensor M = maps(seed);
        try (Branch branch = standard(seed)) {
            Tensor b = direction(seed, branch.config().length(CHANNELS));
            Contributions.of(branch, M, Contributions.meanPosition(M), b);
            assertThat(branch.parameters().stream().filter(Parameter::trainable))
                    .isNotEmpty()
                    .allSatisfy(parameter -> assertThat(
                                    parameter.gradient().abs().sum().item_double())
                            .isZero());
        }
    }
}
