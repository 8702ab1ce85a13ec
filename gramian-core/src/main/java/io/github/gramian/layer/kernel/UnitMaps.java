package io.github.gramian.layer.kernel;

import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Phase;
import io.github.gramian.tensor.Pass;
import org.bytedeco.pytorch.Tensor;

/**
 * Divides every channel by its length over positions. M: [batch, C, N]. A kernel of distances then depends only on angles:
 * ‖fᵢ − fⱼ‖² = 2 − 2cos(fᵢ, fⱼ), and of centred channels correlations. A channel of zeros remains zero.
 */
final class UnitMaps {

    private UnitMaps() {}

    static Pass of(Tensor M, Phase phase) {
        long batch = M.size(0);
        long channels = M.size(1);
        Pass rows = new L2Normalisation().forward(M.flatten(0, 1), phase);
        return Pass.of(
                rows.output().unflatten(0, batch, channels),
                dM -> rows.backward(dM.flatten(0, 1)).unflatten(0, batch, channels));
    }
}
