package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.layer.Fidelity;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.model.Network;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.config.DescriptorConfig;
import io.github.gramian.model.config.NetworkConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Health;
import io.github.gramian.run.TrainingException;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthMonitorTest {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final Scope scope = Scope.open();
    private final Network network = new Network(
            new NetworkConfig(
                    List.of(
                            new BranchConfig(
                                    "a",
                                    32,
                                    8,
                                    true,
                                    new AggregatorConfig.SpdMatrix(
                                            AggregationConfig.standard(Fidelity.EXACT),
                                            List.of(new TransformConfig(
                                                    5,
                                                    Stiefel.paper(),
                                                    new TransformConfig.Activation.ElementwiseRelu()))),
                                    DescriptorConfig.standard(Fidelity.EXACT)),
                            BranchConfig.average("b", 32)),
                    5),
            List.of(6, 4),
            3,
            DOUBLE,
            new Seed(1));
    private final HealthMonitor monitor = new HealthMonitor(network, network.parameters());
    private final List<Tensor> maps = List.of(new Seed(2).normal(DOUBLE, 5, 6, 9), new Seed(3).normal(DOUBLE, 5, 4, 9));

    @AfterEach
    void free() {
        network.close();
        scope.close();
    }

    private Tensor value(String name) {
        return network.parameters().stream()
                .filter(parameter -> parameter.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    private String diagnosis() {
        return String.valueOf(monitor.diagnose(maps, 1, 4, 17).getMessage());
    }

    @Test
    void a_healthy_network_has_healthy_measurements() {
        Health health = monitor.examine(maps);
        assertThat(health.deadChannels()).isZero();
        assertThat(health.orthonormality()).isLessThan(1e-12);
        assertThat(health.sigmaSmallest()).isPositive().isLessThanOrEqualTo(health.sigmaLargest());
        assertThat(health.kernelSmallestEigenvalue()).isPositive();
        assertThat(health.transformedSmallestEigenvalue()).isGreaterThanOrEqualTo(health.kernelSmallestEigenvalue());
        assertThat(health.transformedCondition()).isBetween(1.0, health.kernelCondition());
        assertThat(health.gradientNorms())
                .containsKeys("branch1.convolution.weight", "branch1.transform1.W", "classifier.weight");
        assertThat(monitor.sound(maps)).isTrue();
    }

    @Test
    void dead_channels_are_counted_and_many_of_them_are_a_warning() {
        value("branch1.convolution.weight").narrow(0, 0, 6).zero_();
        value("branch1.convolution.bias").narrow(0, 0, 6).fill_(scalar(-1.0));
        Health health = monitor.examine(maps);
        assertThat(health.deadChannels()).isEqualTo(0.75);
        assertThat(health.kernelSmallestEigenvalue()).isCloseTo(0, within(1e-9));
        assertThat(health.warnings())
                .anySatisfy(warning -> assertThat(warning)
                        .contains("75 % of the channels are dead")
                        .contains("learning rate of the convolution"));
    }

    @Test
    void a_loose_W_is_a_warning() {
        value("branch1.transform1.W").mul_(scalar(1.1));
        Health health = monitor.examine(maps);
        assertThat(health.orthonormality()).isCloseTo(0.21, within(1e-6));
        assertThat(health.warnings())
                .anySatisfy(
                        warning -> assertThat(warning).contains("orthonormal").contains("clip"));
    }

    @Test
    void nan_from_the_backbone_is_reported_as_such() {
        maps.get(1).narrow(0, 2, 1).fill_(scalar(Double.NaN));
        assertThat(monitor.sound(maps)).isFalse();
        assertThat(diagnosis())
                .contains("backbone")
                .contains("branch 2")
                .contains("stage 1, epoch 4, step 17")
                .contains("backbone.precision=float");
    }

    @Test
    void a_parameter_that_is_not_finite_is_named() {
        value("branch1.transform1.W").narrow(0, 0, 1).fill_(scalar(Double.NaN));
        assertThat(monitor.sound(maps)).isFalse();
        assertThat(diagnosis()).contains("branch1.transform1.W").contains("stage1.rates");
    }

    @Test
    void a_layer_whose_output_is_not_finite_is_named() {
        maps.get(0).fill_(scalar(1e308)); // finite, but not their sums
        assertThat(diagnosis()).contains("the layer 'convolution'").contains("branch 1");
    }

    @Test
    void scores_that_grew_too_large_are_reported_for_the_classifier() {
        value("classifier.weight").fill_(scalar(1e308));
        assertThat(diagnosis()).contains("scores grew too large").contains("stage1.rates.classifier");
    }

    @Test
    void a_training_that_diverges_stops_and_names_what_to_lower(@TempDir Path folder) throws IOException {
        SmallRuns runs = SmallRuns.in(folder);
        Recipe wild = runs.recipe("stage1.rates.convolution=1.0E38", "stage1.rates.convolutionClip=1.0E38");
        assertThatThrownBy(() -> runs.run(wild, "wild"))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("stage 1, epoch 1")
                .hasMessageContaining("lower");
        // One step an epoch: no later batch shows that the network diverged.
        Recipe single = runs.recipe(
                "stage1.rates.classifier=1.0E36",
                "network.logitScale=1.0E6",
                "stage1.batch=18",
                "stage1.warmUp=0",
                "stage1.epochs=1");
        assertThatThrownBy(() -> runs.run(single, "single"))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("stage1.rates.classifier");
    }
}
