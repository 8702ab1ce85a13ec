package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.Tap;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Max-pooling with stride 2. What lies outside the map counts as −∞ or, since it follows a ReLU, as 0 just as well. */
record PoolStep(Tap tap, int kernel, int padding) implements Step {

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        return torch.max_pool2d(
                x,
                new long[] {kernel, kernel},
                new long[] {2, 2},
                new long[] {padding, padding},
                new long[] {1, 1},
                false);
    }
}
