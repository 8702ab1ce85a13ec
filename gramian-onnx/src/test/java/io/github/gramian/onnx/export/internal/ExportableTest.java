package io.github.gramian.onnx.export.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.fixture.SmallModels;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.ModelException;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ExportableTest {

    private static final AggregationConfig RBF = AggregationConfig.standard(Fidelity.EXACT);
    private static final DescriptorConfig PLAIN = DescriptorConfig.standard(Fidelity.EXACT);

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(
                        new AggregatorConfig.SpdMatrix(
                                RBF,
                                List.of(new TransformConfig(
                                        4, Stiefel.paper(), new TransformConfig.Activation.EigenvalueRectifier(1e-4)))),
                        PLAIN,
                        "reeig"),
                Arguments.of(
                        new AggregatorConfig.SpdMatrix(
                                RBF, List.of(), ProductPrecision.EXACT, new RootConfig.Exact(1e-5)),
                        PLAIN,
                        "root: exact"),
                Arguments.of(
                        new AggregatorConfig.SpdMatrix(RBF, List.of()),
                        new DescriptorConfig(1e-4, -1, 0, Fidelity.EXACT),
                        "logarithm"),
                Arguments.of(new CodebookConfig.RandomEncoder(3, 2, 0.1), PLAIN, "random-encoder"));
    }

    @ParameterizedTest(name = "{2}")
    @MethodSource("refused")
    void what_needs_eigenvalues_or_solvers_is_refused_by_name(
            AggregatorConfig aggregator, DescriptorConfig descriptor, String name) {
        BranchConfig branch = new BranchConfig("res3b", 64, 6, true, aggregator, descriptor);
        refused(new NetworkConfig(List.of(SmallModels.branch(new AggregatorConfig.Average()), branch), 5), 128)
                .hasMessageContainingAll("branch 2", name, "ONNX");
    }

    @Test
    void a_sketch_of_too_many_channels_is_refused() {
        BranchConfig branch =
                new BranchConfig("res3b", 64, 0, false, new AggregatorConfig.CompactBilinear(16, 1), PLAIN);
        refused(new NetworkConfig(List.of(branch), 5), 4097)
                .hasMessageContainingAll("compact-bilinear of 4097 channels", "put a convolution");
    }

    @Test
    void a_mean_that_has_seen_nothing_is_refused() {
        refused(SmallModels.network(new AggregatorConfig.Average()), 128)
                .hasMessageContainingAll("branch1.centring.mean", "train the model first");
        KernelConfig global = new KernelConfig.Rbf(new Bandwidth.Global(0.1));
        AggregatorConfig matrix = new AggregatorConfig.SpdMatrix(AggregationConfig.of(global), List.of());
        refused(new NetworkConfig(List.of(new BranchConfig("res3b", 64, 6, true, matrix, PLAIN)), 5), 128)
                .hasMessageContaining("branch1.kernel.sigma.mean");
    }

    @Test
    void a_custom_aggregator_is_refused() {
        AggregatorConfig custom = new AggregatorConfig.Custom(OwnAggregator.NAME, java.util.Map.of());
        BranchConfig branch = new BranchConfig("res3b", 64, 6, true, custom, PLAIN);
        refused(new NetworkConfig(List.of(branch), 5), 128).hasMessageContainingAll(OwnAggregator.NAME, "built-in");
    }

    private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> refused(
            NetworkConfig config, int channels) {
        List<Integer> inputs =
                config.branches().stream().map(branch -> channels).toList();
        try (Network network = new Network(config, inputs, 3, Placement.cpu(Precision.FLOAT), new Seed(1))) {
            return assertThatThrownBy(() -> Exportable.check(network)).isInstanceOf(ModelException.class);
        }
    }
}
