package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;

/** One named section of a network, ending at a tap. It declares the names and shapes of its weights but holds none. */
public sealed interface Step
        permits ConvolutionStep,
                PoolStep,
                ResidualStep,
                GridStep,
                LinearStep,
                StemStep,
                ConvNextStep,
                PooledNormStep,
                EmbeddingStep,
                TransformerStep,
                ClassTokenStep {

    /** Where its output can be taken. */
    Tap tap();

    /**
     * The step's output.
     *
     * @param x the output of the step before it, or images: maps [batch, channels, height, width] in channels-last layout,
     *     vectors [batch, channels] in a classifier, or tokens [batch, tokens, channels] in a vision transformer
     */
    Tensor forward(Tensor x, WeightTable weights);

    /**
     * The features at its tap: the output, unless the steps pass on something other than features. [batch, channels,
     * height/stride, width/stride] or [batch, channels].
     *
     * @param height of the images, in pixels
     * @param width of the images, in pixels
     */
    default Tensor features(Tensor output, long height, long width) {
        return output;
    }

    /** What it computes, with its weights, for readers outside. */
    BackboneStep described(WeightTable weights);

    /** Its convolutions, in the order of their use. */
    default List<Convolution> convolutions() {
        return List.of();
    }

    /** Lists the name and shape of every weight. */
    default void declare(BiConsumer<String, List<Long>> weight) {
        convolutions().forEach(convolution -> convolution.declare(weight));
    }

    /** Its norms over channels. */
    default List<LayerNorm> layerNorms() {
        return List.of();
    }

    /** The names of what its norms need; the caller may change the set. */
    default Set<String> normWeights() {
        Set<String> names = new HashSet<>();
        for (Convolution convolution : convolutions()) {
            BatchNorm norm = convolution.norm();
            if (norm != null) {
                norm.declare((name, shape) -> names.add(name));
            }
        }
        layerNorms().forEach(norm -> norm.declare((name, shape) -> names.add(name)));
        return names;
    }
}
