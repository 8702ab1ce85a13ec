package io.github.gramian.model;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.ProductPrecision;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.internal.Trace;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Other ways to aggregate, as branches of the same network. */
class RivalsTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int CHANNELS = 6;

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    private static AggregatorConfig covariance(RootConfig root) {
        return new AggregatorConfig.SpdMatrix(
                AggregationConfig.of(new KernelConfig.Covariance()), List.of(), ProductPrecision.EXACT, root);
    }

    static Stream<AggregatorConfig> rivals() {
        return Stream.of(
                new AggregatorConfig.Average(),
                new AggregatorConfig.Max(),
                new AggregatorConfig.CompactBilinear(32, 7),
                covariance(new RootConfig.Exact(1e-5)),
                covariance(new RootConfig.Iterated(5)));
    }

    private static BranchConfig branch(AggregatorConfig aggregator, double dropout) {
        return new BranchConfig("a", 64, 5, false, aggregator, new DescriptorConfig(0, -1, 0, dropout, Fidelity.EXACT));
    }

    @ParameterizedTest
    @MethodSource("rivals")
    void gradients_of_a_branch_agree_with_central_differences(AggregatorConfig rival) {
        try (Branch branch = new Branch("", branch(rival, 0.3), CHANNELS, DOUBLE, new Seed(1))) {
            Tensor maps = new Seed(2).normal(DOUBLE, 3, CHANNELS, 9);
            assertThat(GradientCheck.on(GradientCheck.Domain.ANY).findings(branch, maps, new Seed(3)))
                    .hasSize(3)
                    .allSatisfy(finding -> assertThat(finding.relativeError())
                            .as(finding.tensor())
                            .isLessThan(1e-7));
        }
    }

    @ParameterizedTest
    @MethodSource("rivals")
    void a_saved_model_describes_images_as_it_did(AggregatorConfig rival) throws IOException {
        NetworkConfig config = new NetworkConfig(List.of(branch(rival, 0.3)), 5);
        Path file = folder.resolve("model.gramian");
        Tensor maps = new Seed(2).normal(FLOAT, 3, CHANNELS, 9);
        try (Network network = new Network(config, List.of(CHANNELS), 2, FLOAT, new Seed(1))) {
            StoredModel.write(
                    file,
                    new ModelDescription(
                            config,
                            List.of(CHANNELS),
                            List.of("a", "b"),
                            new ModelDescription.BackboneNote("resnet18-torchvision", "abc", Precision.FLOAT, false),
                            List.of(Preprocessing.centre(72, 64, Interpolation.BILINEAR, Normalisation.TORCHVISION)),
                            Optional.empty(),
                            Map.of()),
                    network,
                    name -> torch.zeros(1));
            try (StoredModel open = StoredModel.open(file);
                    Network again = open.network(FLOAT)) {
                assertThat(again.describe(List.of(maps)).equal(network.describe(List.of(maps))))
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("rivals")
    void images_without_any_features_have_finite_descriptors(AggregatorConfig rival) {
        try (Branch branch = new Branch("", branch(rival, 0.3), CHANNELS, FLOAT, new Seed(1))) {
            Tensor maps = torch.zeros(new long[] {2, CHANNELS, 4}, FLOAT.options());
            Pass pass = branch.forward(maps, Phase.training(new Seed(1)));
            assertThat(pass.output().isfinite().all().item_bool()).isTrue();
            assertThat(pass.backward(torch.ones_like(pass.output()))
                            .isfinite()
                            .all()
                            .item_bool())
                    .isTrue();
        }
    }

    @Test
    void roots_turn_covariances_into_what_squares_to_them() {
        Tensor maps = new Seed(2).normal(DOUBLE, 2, CHANNELS, 40);
        for (RootConfig root : List.of(new RootConfig.Exact(1e-9), new RootConfig.Iterated(30))) {
            BranchConfig config =
                    new BranchConfig("a", 64, 0, false, covariance(root), DescriptorConfig.standard(Fidelity.EXACT));
            try (Branch branch = new Branch("", config, CHANNELS, DOUBLE, new Seed(1))) {
                Trace trace = branch.trace(maps);
                assertThat(trace.outputs())
                        .extracting(Trace.Output::name)
                        .containsExactly("kernel", "root", "vectorisation", "power normalisation", "l2 normalisation");
                Tensor half = trace.outputs().get(1).value();
                assertThat(half.matmul(half)
                                .sub(trace.kernel().orElseThrow())
                                .norm()
                                .item_double())
                        .isLessThan(1e-8);
            }
        }
    }

    @Test
    void dropout_works_only_in_training() {
        try (Branch branch = new Branch("", branch(new AggregatorConfig.Max(), 0.5), CHANNELS, DOUBLE, new Seed(1))) {
            Tensor maps = new Seed(2).normal(DOUBLE, 8, CHANNELS, 9);
            Tensor zeros =
                    branch.forward(maps, Phase.training(new Seed(3))).output().eq(scalar(0.0));
            assertThat(zeros.any().item_bool()).isTrue();
            assertThat(branch.apply(maps).eq(scalar(0.0)).any().item_bool()).isFalse();
        }
    }
}
