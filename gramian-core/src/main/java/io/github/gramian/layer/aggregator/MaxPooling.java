package io.github.gramian.layer.aggregator;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Scope;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * vᵢ = maxₙ Mᵢₙ: each channel's largest activation over positions. M: [batch, C, N]; v: [batch, C].
 *
 * <p>The backward pass gives ∂L/∂vᵢ only to the position of the maximum, the first of several.
 */
public final class MaxPooling implements Layer {

    @Override
    public Pass forward(Tensor M, Phase phase) {
        T_TensorTensor_T largest = M.max(2, true);
        Tensor v = Scope.share(largest.get0());
        Tensor where = Scope.share(largest.get1());
        long[] shape = M.sizes().vec().get();
        return Pass.of(v.squeeze(2), dv -> {
            Tensor dM = torch.zeros(shape, dv.options());
            dM.scatter_(2, where, dv.unsqueeze(2));
            return dM;
        });
    }

    @Override
    public boolean isPerSample() {
        return true;
    }
}
