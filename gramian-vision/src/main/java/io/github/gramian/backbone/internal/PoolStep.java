package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Max-pooling with stride 2. What lies outside the map counts as −∞ or, since it follows a ReLU, as 0 just as well. */
record PoolStep(Tap tap, int kernel, int padding) implements Step {

    private static final int STRIDE = 2;

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        return torch.max_pool2d(
                x,
                new long[] {kernel, kernel},
                new long[] {STRIDE, STRIDE},
                new long[] {padding, padding},
                new long[] {1, 1},
                false);
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Pooled(tap, kernel, STRIDE, padding);
    }
}
