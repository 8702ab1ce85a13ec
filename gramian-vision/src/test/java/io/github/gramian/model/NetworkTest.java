package io.github.gramian.model;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.feature.internal.FeatureRequest;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.Aggregator;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.model.config.internal.NetworkFeatures;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int FIRST = 5;
    private static final int SECOND = 3;
    private static final int POSITIONS = 6;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    /** One branch with a convolution, W and ReLU, and one of plain averages. */
    private static Network twoBranches(long seed) {
        AggregatorConfig matrix = new AggregatorConfig.SpdMatrix(
                AggregationConfig.standard(Fidelity.EXACT),
                List.of(new TransformConfig(3, Stiefel.paper(), new TransformConfig.Activation.ElementwiseRelu())));
        BranchConfig spd =
                new BranchConfig("a", 32, 4, false, matrix, new DescriptorConfig(0, 1e-2, 0, Fidelity.EXACT));
        BranchConfig average = new BranchConfig(
                "b", 48, 0, false, new AggregatorConfig.Average(), new DescriptorConfig(0, -1, 0, Fidelity.EXACT));
        Network network = new Network(
                new NetworkConfig(List.of(spd, average), 5), List.of(FIRST, SECOND), 4, DOUBLE, new Seed(seed));
        network.classifier()
                .parameters()
                .forEach(p -> p.assign(new Seed(seed)
                        .child(p.name())
                        .normal(DOUBLE, p.value().sizes().vec().get())));
        return network;
    }

    /** Both inputs in one tensor, so that the check of layers can look at a network. */
    private record AsLayer(Network network) implements Layer {
        @Override
        public Pass forward(Tensor both, Phase phase) {
            Network.Result result = network.forward(
                    List.of(
                            both.narrow(1, 0, FIRST).contiguous(),
                            both.narrow(1, FIRST, SECOND).contiguous()),
                    phase);
            return Pass.of(
                    result.scores(),
                    gradient ->
                            torch.cat(new TensorVector(result.backward(gradient).toArray(Tensor[]::new)), 1));
        }

        @Override
        public List<Parameter> parameters() {
            return network.parameters();
        }

        @Override
        public void close() {
            network.close();
        }
    }

    private static Tensor inputs(long seed, int batch) {
        return new Seed(seed).child("inputs").normal(DOUBLE, batch, FIRST + SECOND, POSITIONS);
    }

    private static List<Tensor> split(Tensor both) {
        return List.of(both.narrow(1, 0, FIRST), both.narrow(1, FIRST, SECOND));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void gradients_of_all_inputs_and_parameters_agree_with_central_differences(long seed) {
        try (AsLayer network = new AsLayer(twoBranches(seed))) {
            List<GradientCheck.Finding> findings =
                    GradientCheck.on(GradientCheck.Domain.ANY).findings(network, inputs(seed, 3), new Seed(seed));
            assertThat(findings)
                    .extracting(GradientCheck.Finding::tensor)
                    .contains("input", "branch1.convolution.weight", "branch1.transform1.W", "classifier.bias");
            assertThat(findings)
                    .allSatisfy(finding -> assertThat(finding.relativeError())
                            .as(finding.tensor())
                            .isLessThan(1e-7));
        }
    }

    @Test
    void a_batch_of_one_equals_a_row_of_a_batch() {
        try (Network network = twoBranches(1)) {
            Tensor both = inputs(2, 3);
            Tensor together = network.probabilities(network.describe(split(both)));
            for (int i = 0; i < 3; i++) {
                Tensor alone = network.probabilities(network.describe(split(both.narrow(0, i, 1))));
                assertThat(alone.sub(together.narrow(0, i, 1)).abs().max().item_double())
                        .isLessThan(1e-12);
            }
        }
    }

    @Test
    void probabilities_are_the_scaled_softmax_of_the_scores_that_training_sees() {
        try (Network network = twoBranches(1)) {
            Network.Result result = network.forward(split(inputs(2, 3)), Phase.inference());
            Tensor probabilities = network.probabilities(result.descriptor());
            assertThat(probabilities
                            .sum(new long[] {1}, false, new org.bytedeco.pytorch.ScalarTypeOptional())
                            .sub(scalar(1.0))
                            .abs()
                            .max()
                            .item_double())
                    .isLessThan(1e-12);
            assertThat(probabilities
                            .sub(result.scores().mul(scalar(5.0)).softmax(1))
                            .abs()
                            .max()
                            .item_double())
                    .isCloseTo(0, within(1e-12));
            assertThat(result.descriptor().size(1))
                    .isEqualTo(network.descriptorLength())
                    .isEqualTo(6 + 3);
        }
    }

    @Test
    void parameters_of_branches_have_names_of_their_own() {
        try (Network network = twoBranches(1)) {
            assertThat(network.parameters()).extracting(Parameter::name).doesNotHaveDuplicates();
            assertThat(network.classes()).isEqualTo(4);
        }
    }

    @Test
    void branches_of_one_size_share_a_run_of_the_backbone() {
        NetworkConfig config = new NetworkConfig(
                List.of(
                        BranchConfig.average("res5c", 224),
                        BranchConfig.kernel("res4f", 112, 8, 4),
                        BranchConfig.average("res4f", 224),
                        BranchConfig.kernel("res5c", 224, 8, 4)),
                5);
        assertThat(NetworkFeatures.of(config).scales())
                .containsExactly(
                        new FeatureRequest.Scale(112, List.of("res4f"), List.of(1)),
                        new FeatureRequest.Scale(224, List.of("res5c", "res4f"), List.of(0, 2, 3)));
    }

    @Test
    void inputs_that_do_not_fit_the_branches_are_refused() {
        try (Network network = twoBranches(1)) {
            List<Tensor> one = List.of(inputs(1, 2));
            assertThatThrownBy(() -> network.describe(one)).hasMessageContaining("2 branches but got 1");
            assertThatThrownBy(() -> network.forward(one, Phase.inference())).hasMessageContaining("2 branches");
        }
        NetworkConfig config = new NetworkConfig(List.of(BranchConfig.kernel("a", 32, 4, 3)), 5);
        assertThatThrownBy(() -> config.descriptorLength(List.of(5, 5))).hasMessageContaining("1 branches need");
        assertThatThrownBy(() -> new NetworkConfig(List.of(), 5)).hasMessageContaining("at least one branch");
        assertThatThrownBy(() -> new NetworkConfig(config.branches(), 0)).hasMessageContaining("logitScale");
    }

    @Test
    void a_matrix_too_large_to_classify_is_refused_with_what_to_lower() {
        AggregatorConfig plain = new AggregatorConfig.SpdMatrix(AggregationConfig.standard(Fidelity.EXACT), List.of());
        assertThatThrownBy(() -> plain.length(70_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lower convolution");
    }

    @Test
    void an_unregistered_aggregator_is_named() {
        assertThatThrownBy(() -> Aggregator.named("nobody's"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nobody's")
                .hasMessageContaining("class path");
    }
}
