package io.github.gramian.layer.aggregator;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.Tensor;

/**
 * v = M·1/N: each channel's mean over positions, the baseline that other aggregators are compared with. M: [batch, C,
 * N]; v: [batch, C].
 */
public final class AveragePooling implements Layer {

    @Override
    public Pass forward(Tensor M, Phase phase) {
        long positions = M.size(2);
        return Pass.of(
                M.mean(2), dv -> dv.div(scalar((double) positions)).unsqueeze(2).expand(-1, -1, positions));
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
