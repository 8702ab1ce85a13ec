package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.InterpolateFuncOptions;
import org.bytedeco.pytorch.InterpolateMode;
import org.bytedeco.pytorch.LongVector;
import org.bytedeco.pytorch.LongVectorOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.kBicubic;
import org.jspecify.annotations.Nullable;

/**
 * The layers that steps are made of. Each declares the names and shapes of its weights, computes with the values of a {@link
 * WeightTable}, and describes itself for readers outside.
 */
final class Layers {

    private Layers() {}

    /** A layer with weights. */
    interface Layer {

        /** Lists the name and shape of every weight. */
        void declare(BiConsumer<String, List<Long>> weight);

        /** The same for the norms in it, whose weights have at least the precision of float. */
        default void declareNorms(BiConsumer<String, List<Long>> weight) {}
    }

    /**
     * y = norm(w ∗ x + b) of maps [batch, channels, height, width]: a square convolution and the batch-norm after it, if there is
     * one. The batch-norm is left out when it has been folded into the weights.
     *
     * @param inputs channels that one output sees: all of x, or one for a depthwise convolution, whose groups follow from x
     */
    record Convolution(
            String name,
            int inputs,
            int outputs,
            int kernel,
            int stride,
            int padding,
            boolean bias,
            @Nullable BatchNorm norm)
            implements Layer {

        @Override
        public void declare(BiConsumer<String, List<Long>> weight) {
            weight.accept(name + ".weight", List.of((long) outputs, (long) inputs, (long) kernel, (long) kernel));
            if (bias) {
                weight.accept(name + ".bias", List.of((long) outputs));
            }
            if (norm != null) {
                norm.declare(weight);
            }
        }

        @Override
        public void declareNorms(BiConsumer<String, List<Long>> weight) {
            if (norm != null) {
                norm.declare(weight);
            }
        }

        Tensor forward(Tensor x, WeightTable weights) {
            return forward(x, weights, padding);
        }

        /** Without rows of zeros above and below; columns are padded. */
        Tensor ofRows(Tensor x, WeightTable weights) {
            return forward(x, weights, 0);
        }

        private Tensor forward(Tensor x, WeightTable weights, int rowPadding) {
            Tensor y = torch.conv2d(
                    x,
                    weights.get(name + ".weight", x),
                    weights.optional(name + ".bias", x),
                    new long[] {stride, stride},
                    new long[] {rowPadding, padding},
                    new long[] {1, 1},
                    x.size(1) / inputs);
            return norm == null || !weights.has(norm.name() + ".weight") ? y : norm.forward(y, weights);
        }

        BackboneStep.Convolution described(WeightTable weights) {
            if (norm != null && weights.has(norm.name() + ".weight")) {
                throw new IllegalStateException(
                        name + " has a batch-norm that is not folded into its weights; open the backbone"
                                + " with BackboneOptions.frozen");
            }
            String biasName = name + ".bias";
            return new BackboneStep.Convolution(
                    name,
                    stride,
                    padding,
                    weights.get(name + ".weight"),
                    weights.has(biasName) ? Optional.of(weights.get(biasName)) : Optional.empty());
        }
    }

    /**
     * y = γ (x − μ) / √(σ² + ε) + β with the stored μ and σ², also in training: batches are small there and ImageNet's statistics
     * are better than theirs. γ and β can be trained.
     */
    record BatchNorm(String name, int channels, double epsilon) implements Layer {

        @Override
        public void declare(BiConsumer<String, List<Long>> weight) {
            for (String part : List.of("weight", "bias", "running_mean", "running_var")) {
                weight.accept(name + "." + part, List.of((long) channels));
            }
        }

        @Override
        public void declareNorms(BiConsumer<String, List<Long>> weight) {
            declare(weight);
        }

        Tensor forward(Tensor x, WeightTable weights) {
            return torch.batch_norm(
                    x,
                    part("weight", weights),
                    part("bias", weights),
                    part("running_mean", weights),
                    part("running_var", weights),
                    false,
                    0,
                    epsilon,
                    false);
        }

        /** In its own precision: LibTorch takes float statistics for lower-precision activations. */
        private TensorOptional part(String part, WeightTable weights) {
            return new TensorOptional(weights.get(name + "." + part));
        }
    }

    /**
     * y = γ (x − mean) / √(variance + ε) + β over the channels of each position, ε = 1e-6 as in ConvNeXt and DINOv2. γ and β are
     * in float even if the activations have a lower precision, which LibTorch supports.
     */
    record LayerNorm(String name, int channels) implements Layer {

        static final double EPSILON = 1e-6;

        @Override
        public void declare(BiConsumer<String, List<Long>> weight) {
            weight.accept(name + ".weight", List.of((long) channels));
            weight.accept(name + ".bias", List.of((long) channels));
        }

        @Override
        public void declareNorms(BiConsumer<String, List<Long>> weight) {
            declare(weight);
        }

        /** Channels are the last dimension. */
        Tensor forward(Tensor x, WeightTable weights) {
            return torch.layer_norm(
                    x,
                    new long[] {channels},
                    new TensorOptional(weights.get(name + ".weight")),
                    new TensorOptional(weights.get(name + ".bias")),
                    EPSILON,
                    false);
        }

        /** Normalises maps [batch, channels, height, width] in channels-last layout; the result has the same layout. */
        Tensor ofMaps(Tensor x, WeightTable weights) {
            return forward(x.permute(0, 2, 3, 1), weights).permute(0, 3, 1, 2);
        }

        BackboneStep.Norm described(WeightTable weights) {
            return new BackboneStep.Norm(name, weights.get(name + ".weight"), weights.get(name + ".bias"), EPSILON);
        }
    }

    /** y = w·x + b over the last dimension: [.., inputs] to [.., outputs]. */
    record Linear(String name, int inputs, int outputs) implements Layer {

        @Override
        public void declare(BiConsumer<String, List<Long>> weight) {
            weight.accept(name + ".weight", List.of((long) outputs, (long) inputs));
            weight.accept(name + ".bias", List.of((long) outputs));
        }

        Tensor forward(Tensor x, WeightTable weights) {
            return torch.linear(x, weights.get(name + ".weight", x), weights.optional(name + ".bias", x));
        }

        BackboneStep.Product described(WeightTable weights) {
            return new BackboneStep.Product(name, weights.get(name + ".weight"), weights.get(name + ".bias"));
        }
    }

    /**
     * w₂·gelu(w₁·norm(x) + b₁) + b₂ at each position, with the exact GELU x·½(1 + erf(x/√2)); what it adds to a block is scaled
     * for each channel (LayerScale).
     *
     * @param scale name of the scale's weight
     * @param scaleShape its shape, with one value per channel
     */
    record Mlp(LayerNorm norm, Linear first, Linear second, String scale, List<Long> scaleShape) implements Layer {

        @Override
        public void declare(BiConsumer<String, List<Long>> weight) {
            norm.declare(weight);
            first.declare(weight);
            second.declare(weight);
            weight.accept(scale, scaleShape);
        }

        @Override
        public void declareNorms(BiConsumer<String, List<Long>> weight) {
            norm.declare(weight);
        }

        /** Channels are the last dimension; not scaled yet. */
        Tensor forward(Tensor x, WeightTable weights) {
            return second.forward(torch.gelu(first.forward(norm.forward(x, weights), weights)), weights);
        }

        BackboneStep.Mlp described(WeightTable weights) {
            return new BackboneStep.Mlp(
                    norm.described(weights),
                    first.described(weights),
                    second.described(weights),
                    new BackboneStep.Scale(scale, weights.get(scale)));
        }
    }

    /**
     * Self-attention of norm(x): softmax(QKᵀ/√d)·V for each head with d channels, then a product. What it adds to a block is
     * scaled for each channel (LayerScale).
     *
     * @param qkv queries, keys and values of all heads in one product
     * @param scale name of the scale's weight
     */
    record Attention(LayerNorm norm, Linear qkv, Linear out, String scale, int heads) implements Layer {

        @Override
        public void declare(BiConsumer<String, List<Long>> weight) {
            norm.declare(weight);
            qkv.declare(weight);
            out.declare(weight);
            weight.accept(scale, List.of((long) out.outputs()));
        }

        @Override
        public void declareNorms(BiConsumer<String, List<Long>> weight) {
            norm.declare(weight);
        }

        /** Of tokens x [batch, tokens, channels], in the same shape; not scaled yet. */
        Tensor forward(Tensor x, WeightTable weights) {
            long batch = x.size(0);
            long tokens = x.size(1);
            Tensor all = qkv.forward(norm.forward(x, weights), weights)
                    .reshape(batch, tokens, 3, heads, -1)
                    .permute(2, 0, 3, 1, 4);
            Tensor mixed = torch.scaled_dot_product_attention(all.select(0, 0), all.select(0, 1), all.select(0, 2));
            return out.forward(mixed.transpose(1, 2).reshape(batch, tokens, -1), weights);
        }

        BackboneStep.Attention described(WeightTable weights) {
            return new BackboneStep.Attention(
                    norm.described(weights),
                    qkv.described(weights),
                    out.described(weights),
                    new BackboneStep.Scale(scale, weights.get(scale)),
                    heads);
        }
    }

    /**
     * How embeddings of positions, learned on a grid of 37×37 patches (518 pixels), are resized bicubically to the grid of an
     * image. On their own grid they are unchanged.
     */
    enum PositionEmbedding {
        /**
         * DINOv2's first networks: no filter, and coordinates scaled as if the grid had 0.1 more rows and columns, which its authors
         * added against rounding. Weights were trained with it, so it is part of the network.
         */
        OFFSET {
            @Override
            Tensor bicubic(Tensor maps, long rows, long columns) {
                return torch.upsample_bicubic2d(
                        maps,
                        new long[] {rows, columns},
                        false,
                        new DoubleOptional((rows + 0.1) / GRID),
                        new DoubleOptional((columns + 0.1) / GRID));
            }
        },
        /** DINOv2 with registers, and timm: to the exact size, smoothed where it shrinks (antialias). */
        SMOOTHED {
            @Override
            Tensor bicubic(Tensor maps, long rows, long columns) {
                InterpolateFuncOptions options = new InterpolateFuncOptions();
                options.size().put(new LongVectorOptional(new LongVector(rows, columns)));
                options.mode().put(new InterpolateMode(new kBicubic()));
                options.align_corners().put(new BoolOptional(false));
                options.antialias().put(true);
                return torch.interpolate(maps, options);
            }
        };

        /** Rows and columns that were learned. */
        static final int GRID = 37;

        static final long POSITIONS = (long) GRID * GRID;

        /**
         * The learned grid, resampled to the positions of an image.
         *
         * @param stored [1, 37·37, channels], row by row
         * @return [1, rows·columns, channels]
         */
        Tensor resized(Tensor stored, long rows, long columns) {
            if (rows == GRID && columns == GRID) {
                return stored;
            }
            long channels = stored.size(2);
            Tensor maps = stored.reshape(1, GRID, GRID, channels).permute(0, 3, 1, 2);
            return bicubic(maps, rows, columns).permute(0, 2, 3, 1).reshape(1, rows * columns, channels);
        }

        abstract Tensor bicubic(Tensor maps, long rows, long columns);
    }
}
