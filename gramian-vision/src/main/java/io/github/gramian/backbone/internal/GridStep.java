package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Average-pooling to a fixed grid, flattened: maps [batch, channels, height, width] to vectors [batch, channels·grid·grid] for a
 * classifier.
 */
record GridStep(Tap tap, int grid) implements Step {

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        return torch.flatten(torch.adaptive_avg_pool2d(x, grid, grid).contiguous(), 1, -1);
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Grid(tap, grid);
    }
}
