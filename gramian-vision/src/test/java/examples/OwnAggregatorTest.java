package examples;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.check.GradientCheck;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.layer.aggregator.DataDependentInit;
import io.github.gramian.model.Predictor;
import io.github.gramian.model.config.Aggregator;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Your own aggregator, without touching ours: a class, and its name in {@code
 * META-INF/services/io.github.gramian.model.config.Aggregator}.
 */
class OwnAggregatorTest {

    /** v = mean over positions of |(M − µ)/s|ᵖ, with µ and s from the training images. */
    public static final class PowerMean implements Aggregator<PowerMean.Settings> {

        /** Settings of a recipe. */
        public record Settings(double p) {
            public Settings {
                if (!(p >= 1)) {
                    throw new IllegalArgumentException("p must be at least 1 but is " + p);
                }
            }
        }

        @Override
        public String name() {
            return "power-mean";
        }

        @Override
        public Settings defaults() {
            return new Settings(2);
        }

        @Override
        public int length(int channels, Settings settings) {
            return channels;
        }

        @Override
        public Layer build(String prefix, int channels, Settings settings, Placement placement, Seed seed) {
            return new PowerMeanLayer(prefix, channels, settings.p(), placement);
        }
    }

    /** M: [batch, C, N]; v: [batch, C]. */
    static final class PowerMeanLayer implements DataDependentInit {

        private final double p;
        private final Parameter mean;
        private final Parameter deviation;

        PowerMeanLayer(String prefix, int channels, double p, Placement placement) {
            this.p = p;
            this.mean = Parameter.statistic(prefix + "mean", torch.zeros(new long[] {channels}, placement.options()));
            this.deviation =
                    Parameter.statistic(prefix + "deviation", torch.ones(new long[] {channels}, placement.options()));
        }

        /** Called once, before training: vectors of the training images, [n, C]. */
        @Override
        public void fit(Tensor sample, Seed seed) {
            Tensor centre = sample.mean(0);
            mean.assign(centre);
            deviation.assign(sample.sub(centre).square().mean(0).sqrt().clamp_min(scalar(1e-3)));
        }

        @Override
        public Pass forward(Tensor M, Phase phase) {
            double positions = M.size(2);
            Tensor s = deviation.value().unsqueeze(1);
            Tensor Z = M.sub(mean.value().unsqueeze(1)).div(s);
            Tensor slope = Z.abs()
                    .pow(scalar(p - 1))
                    .mul(Z.sign())
                    .mul(scalar(p / positions))
                    .div(s);
            return Pass.of(Z.abs().pow(scalar(p)).mean(2), dv -> slope.mul(dv.unsqueeze(2)));
        }

        @Override
        public List<Parameter> parameters() {
            return List.of(mean, deviation);
        }
    }

    @TempDir
    Path folder;

    @Test
    void an_aggregator_from_outside_trains_is_saved_and_predicts() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Recipe recipe = drawn.recipe(
                "network.branches.0.aggregator={kind: custom, name: power-mean, settings: {p: '3'}}",
                "stage1.epochs=3",
                "refit=best");
        Run outcome = drawn.run(recipe, "own");
        assertThat(outcome.scores().accuracy()).isGreaterThan(0.5);
        try (Predictor predictor = Predictor.load(outcome.model())) {
            assertThat(predictor.descriptorLength()).isEqualTo(8);
            assertThat(predictor.predict(drawn.images().resolve("rows/9.png")).probabilities())
                    .hasSize(3);
        }
    }

    @Test
    void the_layer_is_fitted_to_a_sample_and_its_gradient_is_right() {
        try (Scope scope = Scope.open()) {
            Placement placement = Placement.cpu(Precision.DOUBLE);
            try (PowerMeanLayer layer = new PowerMeanLayer("", 4, 3, placement)) {
                Tensor maps = new Seed(1).normal(placement, 2, 4, 5).add(scalar(7.0));
                layer.fit(maps.mT().reshape(-1, 4), new Seed(2));
                assertThat(layer.apply(maps).max().item_double()).isLessThan(4);
                assertThat(GradientCheck.on(GradientCheck.Domain.ANY).worstError(layer, maps, new Seed(3)))
                        .isLessThan(1e-6);
            }
        }
    }

    @Test
    void wrong_settings_are_errors_that_state_what_to_write() {
        assertThatThrownBy(() -> new AggregatorConfig.Custom("power-mean", Map.of("P0wer", "3")).length(8))
                .hasMessageContaining("power-mean")
                .hasMessageContaining("unknown key 'P0wer'")
                .hasMessageContaining("[p]");
        assertThatThrownBy(() -> new AggregatorConfig.Custom("power-mean", Map.of("p", "much")).length(8))
                .hasMessageContaining("'p' is 'much'; expected a number");
        assertThatThrownBy(() -> new AggregatorConfig.Custom("power-mean", Map.of("p", "0.5")).length(8))
                .hasMessageContaining("p must be at least 1 but is 0.5");
        assertThat(new AggregatorConfig.Custom("power-mean", Map.of()).length(8))
                .isEqualTo(8);
    }
}
