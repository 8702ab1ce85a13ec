package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** Convolution, then ReLU. */
record ConvolutionStep(Tap tap, Convolution convolution) implements Step {

    @Override
    public Tensor forward(Tensor x, WeightTable weights) {
        Tensor y = convolution.forward(x, weights);
        torch.relu_(y);
        return y;
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.Convolved(tap, convolution.described(weights));
    }

    @Override
    public List<Convolution> convolutions() {
        return List.of(convolution);
    }
}
