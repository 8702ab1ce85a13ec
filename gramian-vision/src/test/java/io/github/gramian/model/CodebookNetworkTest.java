package io.github.gramian.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Normalisation;
import io.github.gramian.image.Preprocessing;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.aggregator.AveragePooling;
import io.github.gramian.layer.aggregator.DataDependentInit;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.internal.Branch;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.StoredModel;
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
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks whose aggregator has a codebook. */
class CodebookNetworkTest {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final int CHANNELS = 12;
    private static final int CONVOLUTION = 6;

    @TempDir
    Path folder;

    private final Scope scope = Scope.open();

    @AfterEach
    void free() {
        scope.close();
    }

    static List<AggregatorConfig> aggregators() {
        return List.of(
                new CodebookConfig.Fisher(5),
                new CodebookConfig.Vlad(5, true),
                new CodebookConfig.Vlad(5, false),
                new CodebookConfig.Encoding(5),
                new CodebookConfig.RandomEncoder(2, 3, 1e-3),
                new CodebookConfig.RandomEncoder(8, 2, 1e-3));
    }

    private static Network network(AggregatorConfig aggregator) {
        NetworkConfig config = new NetworkConfig(
                List.of(new BranchConfig(
                        "res5b",
                        64,
                        CONVOLUTION,
                        false,
                        aggregator,
                        new DescriptorConfig(0, 1e-3, 0.1, Fidelity.EXACT))),
                5);
        Network network = new Network(config, List.of(CHANNELS), 3, FLOAT, new Seed(1));
        Branch branch = Branch.of(network).get(0);
        DataDependentInit layer = branch.fitted().orElseThrow();
        Tensor reaching = branch.inputOf(layer, new Seed(2).normal(FLOAT, 8, CHANNELS, 20));
        layer.fit(reaching.transpose(1, 2).reshape(-1, CONVOLUTION), new Seed(3));
        return network;
    }

    @ParameterizedTest
    @MethodSource("aggregators")
    void a_saved_network_describes_as_before(AggregatorConfig aggregator) throws IOException {
        Tensor maps = new Seed(4).normal(FLOAT, 2, CHANNELS, 9);
        Path file = folder.resolve("model.gramian");
        try (Network network = network(aggregator)) {
            ModelDescription description = new ModelDescription(
                    network.config(),
                    List.of(CHANNELS),
                    List.of("a", "b", "c"),
                    new ModelDescription.BackboneNote("resnet18-torchvision", "abc", Precision.FLOAT, false),
                    List.of(Preprocessing.centre(72, 64, Interpolation.BILINEAR, Normalisation.TORCHVISION)),
                    Optional.empty(),
                    Map.of());
            StoredModel.write(file, description, network, name -> new Tensor());
            try (StoredModel open = StoredModel.open(file);
                    Network again = open.network(FLOAT)) {
                assertThat(again.config()).isEqualTo(network.config());
                assertThat(again.describe(List.of(maps)).equal(network.describe(List.of(maps))))
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("aggregators")
    void the_length_is_as_announced_and_gradients_are_finite(AggregatorConfig aggregator) {
        try (Network network = network(aggregator)) {
            Branch branch = Branch.of(network).get(0);
            for (Tensor maps : List.of(
                    new Seed(5).normal(FLOAT, 3, CHANNELS, 9),
                    new Seed(5).normal(FLOAT, 3, CHANNELS, 1),
                    new Seed(5).normal(FLOAT, 3, CHANNELS, 9).mul_(io.github.gramian.tensor.Scalars.scalar(1e4)),
                    torch.zeros(new long[] {3, CHANNELS, 9}, FLOAT.options()))) {
                Pass pass = branch.forward(maps, Phase.training(new Seed(6)));
                assertThat(pass.output().size(1)).isEqualTo(aggregator.length(CONVOLUTION));
                Tensor gradient = pass.backward(torch.ones_like(pass.output()));
                assertThat(gradient.sizes().vec().get())
                        .isEqualTo(maps.sizes().vec().get());
                assertThat(pass.output().isfinite().all().item_bool()).isTrue();
                assertThat(gradient.isfinite().all().item_bool()).isTrue();
            }
            for (Parameter parameter : network.parameters()) {
                assertThat(parameter.gradient().isfinite().all().item_bool())
                        .as(parameter.name())
                        .isTrue();
            }
        }
    }

    @Test
    void sizes_that_cannot_be_are_refused_with_what_to_change() {
        assertThatThrownBy(() -> new CodebookConfig.Fisher(0)).hasMessageContaining("components must lie in 1..");
        assertThatThrownBy(() -> new CodebookConfig.Vlad(70_000, true)).hasMessageContaining("centres must lie in 1..");
        assertThatThrownBy(() -> new CodebookConfig.RandomEncoder(1, 0, 1))
                .hasMessageContaining("encoders must lie in 1..");
        assertThatThrownBy(() -> new CodebookConfig.RandomEncoder(1, 1, 0))
                .hasMessageContaining("ridge must be positive");
        assertThatThrownBy(() -> new CodebookConfig.Fisher(60_000).length(60_000))
                .hasMessageContaining("lower components or convolution");
    }

    @Test
    void only_layers_of_the_branch_have_an_input() {
        try (Network network = network(new CodebookConfig.Fisher(2));
                AveragePooling foreign = new AveragePooling()) {
            Tensor maps = new Seed(1).normal(FLOAT, 1, CHANNELS, 4);
            assertThatThrownBy(() -> Branch.of(network).get(0).inputOf(foreign, maps))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
