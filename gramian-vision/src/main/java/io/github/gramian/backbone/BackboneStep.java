package io.github.gramian.backbone;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.bytedeco.pytorch.Tensor;

/**
 * What one step of a built-in network computes, with its weights: enough to write the network down for another engine.
 * {@link ConvolutionalBackbone#steps} gives them in order; the output of each is the input of the next, and what {@link
 * #tap} names. All are functions of [batch, channels, height, width], or of tokens [batch, tokens, channels] between the
 * embedding of a vision transformer and its class token; there a tap gives the tokens of patches, as maps.
 *
 * <p>Weights belong to the backbone and are valid until it is closed.
 */
public sealed interface BackboneStep {

    /** Where its output can be taken. */
    Tap tap();

    /**
     * y = w ∗ x + b with zero padding, batch-norm folded into w and b. With fewer inputs than x has channels, it works on
     * groups of them.
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
     * @param path convolutions one after another, with ReLU between them but not after the last
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

    /**
     * y = γ (x − mean) / √(variance + ε) + β over the channels of each position.
     *
     * @param weight γ: [channels]
     * @param bias β: [channels]
     * @param epsilon ε
     */
    record Norm(String name, Tensor weight, Tensor bias, double epsilon) {}

    /**
     * y = w·x + b over the channels of each position.
     *
     * @param weight w: [outputs, inputs]
     * @param bias b: [outputs]
     */
    record Product(String name, Tensor weight, Tensor bias) {}

    /**
     * A factor for each channel.
     *
     * @param weight [channels] for tokens, [channels, 1, 1] for maps
     */
    record Scale(String name, Tensor weight) {}

    /** scale·second(gelu(first(norm(x)))) at each position, with the exact GELU x·½(1 + erf(x/√2)). */
    record Mlp(Norm norm, Product first, Product second, Scale scale) {}

    /**
     * scale·out(softmax(QKᵀ/√d)·V) of norm(x), for each of the heads with its d channels.
     *
     * @param qkv queries Q, keys K and values V of all heads: its outputs are [3, heads, d]
     */
    record Attention(Norm norm, Product qkv, Product out, Scale scale, int heads) {}

    /** norm(convolution(x)). */
    record Stem(Tap tap, Convolution convolution, Norm norm) implements BackboneStep {}

    /** convolution(norm(x)). */
    record Halving(Norm norm, Convolution convolution) {}

    /** y = halving(x) or x; y + mlp(depthwise(y)). */
    record ConvNextBlock(Tap tap, Optional<Halving> halving, Convolution depthwise, Mlp mlp) implements BackboneStep {}

    /** norm(mean over all positions): [batch, channels]. */
    record PooledNorm(Tap tap, Norm norm) implements BackboneStep {}

    /**
     * Tokens of a square image: those of the whole image, then patches(x) + positions, row by row.
     *
     * @param whole [1, others, channels]
     * @param positions of a grid with some side: [1, side·side, channels]
     */
    record Embedding(Tap tap, Convolution patches, Supplier<Tensor> whole, IntFunction<Tensor> positions)
            implements BackboneStep {}

    /**
     * y = x + attention(x); last(y + mlp(y)).
     *
     * @param others number of tokens before the patches
     */
    record TransformerBlock(Tap tap, Attention attention, Mlp mlp, Optional<Norm> last, int others)
            implements BackboneStep {}

    /** The first token: [batch, channels]. */
    record ClassToken(Tap tap) implements BackboneStep {}
}
