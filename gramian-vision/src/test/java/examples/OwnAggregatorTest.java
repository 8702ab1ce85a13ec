package examples;

import static io.github.gramian.tensor.Scalars.scalar;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.Predictor;
import io.github.gramian.model.config.Aggregator;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.SmallRuns;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An aggregator of one's own, without touching ours: a class, and its name in {@code
 * META-INF/services/io.github.gramian.model.config.Aggregator}.
 */
class OwnAggregatorTest {

    /** v = (mean over positions of |M|ᵖ): p = 1 is average pooling of what a ReLU leaves, a large p nears the maximum. */
    public static final class PowerMean implements Aggregator {

        @Override
        public String name() {
            return "power-mean";
        }

        @Override
        public int length(int channels, Map<String, String> settings) {
            return channels;
        }

        @Override
        public Layer build(String prefix, int channels, Map<String, String> settings, Placement placement, Seed seed) {
            double p = Double.parseDouble(settings.getOrDefault("p", "2"));
            return new Layer() {
                @Override
                public Pass forward(Tensor M, Phase phase) {
                    double positions = M.size(2);
                    Tensor slope = M.abs().pow(scalar(p - 1)).mul_(M.sign()).mul_(scalar(p / positions));
                    return Pass.of(M.abs().pow(scalar(p)).mean(2), dv -> slope.mul(dv.unsqueeze(2)));
                }
            };
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
}
