package io.github.gramian.backbone.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.backbone.Tap;
import io.github.gramian.backbone.internal.Layers.Attention;
import io.github.gramian.backbone.internal.Layers.Convolution;
import io.github.gramian.backbone.internal.Layers.Layer;
import io.github.gramian.backbone.internal.Layers.LayerNorm;
import io.github.gramian.backbone.internal.Layers.Linear;
import io.github.gramian.backbone.internal.Layers.Mlp;
import io.github.gramian.backbone.internal.Layers.PositionEmbedding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.jspecify.annotations.Nullable;

/** One named section of a network, ending at a tap. It declares the names and shapes of its weights but holds none. */
public sealed interface Step {

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

    /** The layers that have weights, in the order of their use. */
    default List<Layer> layers() {
        return List.of();
    }

    /** Kernel, stride and padding of each window that slides over the maps, one after the other. */
    default List<int[]> windows() {
        return List.of();
    }

    private static int[] window(Convolution convolution) {
        return new int[] {convolution.kernel(), convolution.stride(), convolution.padding()};
    }

    /** Lists the name and shape of every weight. */
    default void declare(BiConsumer<String, List<Long>> weight) {
        layers().forEach(layer -> layer.declare(weight));
    }

    /**
     * The patches' tokens of a vision transformer as feature maps: positions are patches, channels their features.
     *
     * @param tokens [batch, others + rows·columns, channels]: some that stand for the whole image, then one for each patch
     * @return [batch, channels, rows, columns] in channels-last layout
     */
    private static Tensor maps(Tensor tokens, long others, long rows, long columns) {
        return tokens.narrow(1, others, rows * columns)
                .reshape(tokens.size(0), rows, columns, tokens.size(2))
                .permute(0, 3, 1, 2)
                .contiguous(MemoryFormat.ChannelsLast);
    }

    /** Convolution, then ReLU. */
    record Convolved(Tap tap, Convolution convolution) implements Step {

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            Tensor y = convolution.forward(x, weights);
            torch.relu_(y);
            return y;
        }

        @Override
        public List<int[]> windows() {
            return List.of(window(convolution));
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.Convolved(tap, convolution.described(weights));
        }

        @Override
        public List<Layer> layers() {
            return List.of(convolution);
        }
    }

    /** Max-pooling with stride 2. What lies outside the map counts as −∞ or, since it follows a ReLU, as 0 just as well. */
    record Pooled(Tap tap, int kernel, int padding) implements Step {

        static final int STRIDE = 2;

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            return pooled(x, padding);
        }

        /** Without rows above and below; columns are padded. */
        Tensor ofRows(Tensor x) {
            return pooled(x, 0);
        }

        private Tensor pooled(Tensor x, int rowPadding) {
            return torch.max_pool2d(
                    x,
                    new long[] {kernel, kernel},
                    new long[] {STRIDE, STRIDE},
                    new long[] {rowPadding, padding},
                    new long[] {1, 1},
                    false);
        }

        @Override
        public List<int[]> windows() {
            return List.of(new int[] {kernel, STRIDE, padding});
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.Pooled(tap, kernel, STRIDE, padding);
        }
    }

    /** relu(path(x) + shortcut(x)): a residual block. ReLUs stand between the path's convolutions; no shortcut is identity. */
    record Residual(
            Tap tap, List<Convolution> path, @Nullable Convolution shortcut) implements Step {

        public Residual {
            path = List.copyOf(path);
        }

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            Tensor y = path.get(0).forward(x, weights);
            for (Convolution next : path.subList(1, path.size())) {
                torch.relu_(y);
                y = next.forward(y, weights);
            }
            y.add_(shortcut == null ? x : shortcut.forward(x, weights));
            torch.relu_(y);
            return y;
        }

        @Override
        public List<int[]> windows() {
            return path.stream().map(Step::window).toList();
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.Residual(
                    tap,
                    path.stream().map(one -> one.described(weights)).toList(),
                    Optional.ofNullable(shortcut).map(one -> one.described(weights)));
        }

        @Override
        public List<Layer> layers() {
            List<Layer> all = new ArrayList<>(path);
            if (shortcut != null) {
                all.add(shortcut);
            }
            return all;
        }
    }

    /**
     * Average-pooling to a fixed grid, flattened: maps [batch, channels, height, width] to vectors [batch, channels·grid·grid] for a
     * classifier.
     */
    record Grid(Tap tap, int grid) implements Step {

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            return torch.flatten(torch.adaptive_avg_pool2d(x, grid, grid).contiguous(), 1, -1);
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.Grid(tap, grid);
        }
    }

    /** A fully connected layer, [batch, inputs] to [batch, outputs], with ReLU unless it is the last. */
    record Connected(Tap tap, Linear linear, boolean relu) implements Step {

        @Override
        public List<Layer> layers() {
            return List.of(linear);
        }

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            Tensor y = linear.forward(x, weights);
            if (relu) {
                torch.relu_(y);
            }
            return y;
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.Connected(
                    tap,
                    linear.name(),
                    weights.get(linear.name() + ".weight"),
                    weights.get(linear.name() + ".bias"),
                    relu);
        }
    }

    /** norm(w ∗ x + b): patches of images [batch, 3, height, width] become positions [batch, channels, height/p, width/p]. */
    record Stem(Tap tap, Convolution patches, LayerNorm norm) implements Step {

        @Override
        public List<Layer> layers() {
            return List.of(patches, norm);
        }

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            return norm.ofMaps(patches.forward(x, weights), weights);
        }

        @Override
        public List<int[]> windows() {
            return List.of(window(patches));
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.Stem(tap, patches.described(weights), norm.described(weights));
        }
    }

    /**
     * x + scale·mlp(depthwise(x)): a block of ConvNeXt. The first block of a stage halves the map before, so that training from it
     * trains the whole stage.
     */
    record ConvNextBlock(Tap tap, @Nullable Halving halving, Convolution depthwise, Mlp mlp) implements Step {

        /** w ∗ norm(x) + b with stride 2. */
        record Halving(LayerNorm norm, Convolution convolution) {}

        @Override
        public List<Layer> layers() {
            return halving == null
                    ? List.of(depthwise, mlp)
                    : List.of(halving.norm(), halving.convolution(), depthwise, mlp);
        }

        @Override
        public Tensor forward(Tensor input, WeightTable weights) {
            Tensor x = halving == null
                    ? input
                    : halving.convolution().forward(halving.norm().ofMaps(input, weights), weights);
            return added(depthwise.forward(x, weights), x, weights);
        }

        /** x + scale·mlp(mixed). */
        Tensor added(Tensor mixed, Tensor x, WeightTable weights) {
            Tensor y = mlp.forward(mixed.permute(0, 2, 3, 1), weights).permute(0, 3, 1, 2);
            return torch.addcmul(x, y, weights.get(mlp.scale(), x));
        }

        @Override
        public List<int[]> windows() {
            return halving == null
                    ? List.of(window(depthwise))
                    : List.of(window(halving.convolution()), window(depthwise));
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.ConvNextBlock(
                    tap,
                    Optional.ofNullable(halving)
                            .map(one -> new BackboneStep.Halving(
                                    one.norm().described(weights),
                                    one.convolution().described(weights))),
                    depthwise.described(weights),
                    mlp.described(weights));
        }
    }

    /**
     * norm(mean over all positions): maps [batch, channels, height, width] of ConvNeXt to vectors [batch, channels] for its
     * classifier.
     */
    record PooledNorm(Tap tap, LayerNorm norm) implements Step {

        @Override
        public List<Layer> layers() {
            return List.of(norm);
        }

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            return norm.forward(torch.flatten(torch.adaptive_avg_pool2d(x, 1, 1).contiguous(), 1, -1), weights);
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.PooledNorm(tap, norm.described(weights));
        }
    }

    /**
     * Images to tokens [batch, 1 + registers + patches, channels]: a class token, registers, and w ∗ x + b of every patch. Class
     * token and patches have an embedding of their position added, registers have not.
     */
    record Embedding(Tap tap, Convolution patches, PositionEmbedding positions, int registers) implements Step {

        private static final String CLASS = "cls_token";
        private static final String REGISTERS = "register_tokens";
        private static final String POSITIONS = "pos_embed";

        @Override
        public void declare(BiConsumer<String, List<Long>> weight) {
            long channels = patches.outputs();
            weight.accept(CLASS, List.of(1L, 1L, channels));
            if (registers > 0) {
                weight.accept(REGISTERS, List.of(1L, (long) registers, channels));
            }
            weight.accept(POSITIONS, List.of(1L, 1L + PositionEmbedding.POSITIONS, channels));
            patches.declare(weight);
        }

        @Override
        public Tensor forward(Tensor images, WeightTable weights) {
            Tensor maps = patches.forward(images, weights);
            long rows = maps.size(2);
            long columns = maps.size(3);
            Tensor tokens = maps.permute(0, 2, 3, 1).reshape(maps.size(0), rows * columns, -1);
            Tensor placed = tokens.add(grid(weights, rows, columns));
            Tensor whole = whole(weights).expand(tokens.size(0), -1, -1);
            return torch.cat(new TensorVector(whole, placed), 1);
        }

        /** Class token at its position, and registers: [1, 1 + registers, channels]. */
        private Tensor whole(WeightTable weights) {
            Tensor token = weights.get(CLASS).add(weights.get(POSITIONS).narrow(1, 0, 1));
            return registers == 0 ? token : torch.cat(new TensorVector(token, weights.get(REGISTERS)), 1);
        }

        /** Embeddings of the patches' positions: [1, rows·columns, channels]. */
        private Tensor grid(WeightTable weights, long rows, long columns) {
            Tensor stored = weights.get(POSITIONS).narrow(1, 1, PositionEmbedding.POSITIONS);
            return positions.resized(stored, rows, columns);
        }

        @Override
        public Tensor features(Tensor tokens, long height, long width) {
            return maps(tokens, 1 + registers, height / tap.stride(), width / tap.stride());
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.Embedding(
                    tap, patches.described(weights), () -> whole(weights), side -> grid(weights, side, side));
        }
    }

    /**
     * y = x + s₁·attention(x), then y + s₂·mlp(y) of tokens [batch, tokens, channels]; after the last block a norm.
     *
     * @param others number of tokens before the patches
     */
    record TransformerBlock(
            Tap tap, Attention attention, Mlp mlp, @Nullable LayerNorm last, int others) implements Step {

        @Override
        public List<Layer> layers() {
            return last == null ? List.of(attention, mlp) : List.of(attention, mlp, last);
        }

        @Override
        public Tensor forward(Tensor x, WeightTable weights) {
            Tensor y = torch.addcmul(x, attention.forward(x, weights), weights.get(attention.scale(), x));
            Tensor z = torch.addcmul(y, mlp.forward(y, weights), weights.get(mlp.scale(), y));
            return last == null ? z : last.forward(z, weights);
        }

        @Override
        public Tensor features(Tensor tokens, long height, long width) {
            return maps(tokens, others, height / tap.stride(), width / tap.stride());
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.TransformerBlock(
                    tap,
                    attention.described(weights),
                    mlp.described(weights),
                    Optional.ofNullable(last).map(norm -> norm.described(weights)),
                    others);
        }
    }

    /** The first token, which stands for the whole image: [batch, tokens, channels] to [batch, channels]. */
    record ClassToken(Tap tap) implements Step {

        @Override
        public Tensor forward(Tensor tokens, WeightTable weights) {
            return tokens.select(1, 0).contiguous();
        }

        @Override
        public BackboneStep described(WeightTable weights) {
            return new BackboneStep.ClassToken(tap);
        }
    }
}
