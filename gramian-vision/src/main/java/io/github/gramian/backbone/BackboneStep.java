package io.github.gramian.backbone;

import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/**
 * What one step of a built-in network computes, with its weights: enough to write the network down for another engine.
 * {@link ConvolutionalBackbone#steps} gives them in order; the output of each is the input of the next, and what {@link
 * #tap} names. All are plain functions of [batch, channels, height, width].
 *
 * <p>Weights belong to the backbone and are valid until it is closed.
 */
public sealed interface BackboneStep {

    /** Where its output can be taken. */
    Tap tap();

    /**
     * y = w ∗ x + b with zero padding, batch-norm folded into w and b.
     *
     * @param name of the weights in files, such as {@code layer1.0.conv1}
     * @param stride in both directions
     * @param padding on all four sides
     * @param weight w: [outputs, inputs, kernel, kernel]
     * @param bias b: [outputs]; empty if it is zero
     */
    record Convolution(String name, int stride, int padding, Tensor weight, Optional<Tensor> bias) {}

    /** max(convolution(x), 0). */
    record Convolved(Tap tap, Convolution convolution) implements BackboneStep {}

    /** The largest value in each window of kernel×kernel; what lies outside counts as −∞. */
    record Pooled(Tap tap, int kernel, int stride, int padding) implements BackboneStep {}

    /**
     * max(path(x) + shortcut(x), 0).
     *
     * @param path convolutions one after another, with ReLU between them but not behind the last
     * @param shortcut a convolution of x, or x itself
     */
    record Residual(Tap tap, List<Convolution> path, Optional<Convolution> shortcut) implements BackboneStep {

        public Residual {
            path = List.copyOf(path);
        }
    }

    /** Means over a grid of cells, adaptive to the map's size, flattened to [batch, channels·grid·grid]. */
    record Grid(Tap tap, int grid) implements BackboneStep {}

    /**
     * w·x + b of vectors [batch, inputs], then ReLU if it is rectified.
     *
     * @param weight w: [outputs, inputs]
     * @param bias b: [outputs]
     */
    record Connected(Tap tap, String name, Tensor weight, Tensor bias, boolean rectified) implements BackboneStep {}
}
