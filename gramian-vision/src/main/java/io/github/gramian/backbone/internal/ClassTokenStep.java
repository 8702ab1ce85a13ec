package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import org.bytedeco.pytorch.Tensor;

/** The first token, which stands for the whole image: [batch, tokens, channels] to [batch, channels]. */
record ClassTokenStep(Tap tap) implements Step {

    @Override
    public Tensor forward(Tensor tokens, WeightTable weights) {
        return tokens.select(1, 0).contiguous();
    }

    @Override
    public BackboneStep described(WeightTable weights) {
        return new BackboneStep.ClassToken(tap);
    }
}
