package sample;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.model.config.Aggregator;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;

/**
 * An aggregator of one's own: the standard deviation of each channel over positions, v = √(ε + mean (M − mean M)²). Recipes
 * call it {@code {kind: custom, name: spread, settings: {}}}.
 */
public final class Spread implements Aggregator<Spread.Settings> {

    /** It has none. */
    public record Settings() {}

    private static final double EPSILON = 1e-6;

    @Override
    public String name() {
        return "spread";
    }

    @Override
    public Settings defaults() {
        return new Settings();
    }

    @Override
    public int length(int channels, Settings settings) {
        return channels;
    }

    @Override
    public Layer build(String prefix, int channels, Settings settings, Placement placement, Seed seed) {
        return new Deviation();
    }

    /** [batch, channels, N] → [batch, channels]; ∂L/∂M = ∂L/∂v (M − mean M) / (N v). */
    static final class Deviation implements Layer {

        @Override
        public Pass forward(Tensor M, Phase phase) {
            double positions = M.size(2);
            Tensor centred = M.sub(M.mean(2).unsqueeze(2));
            Tensor v = centred.square().mean(2).add_(scalar(EPSILON)).sqrt_();
            Tensor slope = centred.div(v.mul(scalar(positions)).unsqueeze(2));
            return Pass.of(v, dv -> slope.mul(dv.unsqueeze(2)));
        }

        @Override
        public boolean isPerSample() {
            return true;
        }
    }
}
