package sample;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.Tensor;

/** A layer of one's own: y = x / (1 + |x|), so ∂L/∂x = ∂L/∂y / (1 + |x|)². */
public final class SoftSign implements Layer {

    @Override
    public Pass forward(Tensor x, Phase phase) {
        Tensor width = x.abs().add_(scalar(1));
        return Pass.of(x.div(width), dy -> dy.div(width).div_(width));
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
