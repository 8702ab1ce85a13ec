package io.github.gramian.onnx.export.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.onnx.graph.internal.Attribute;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.Operators;
import io.github.gramian.onnx.graph.internal.Value;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/** Parts of blocks of ConvNeXt and of vision transformers: norms over channels, products at positions, attention. */
final class BlockNodes {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final String PREFIX = "backbone.";

    private final GraphBuilder graph;
    private final Operators operators;
    private final Weights weights;

    BlockNodes(GraphBuilder graph, Weights weights) {
        this.graph = graph;
        this.operators = new Operators(graph);
        this.weights = weights;
    }

    /** The norm over channels of maps [batch, channels, side, side]; the same shape. */
    Value normedMaps(BackboneStep.Norm norm, Value maps) {
        return operators.permuted(normed(norm, operators.permuted(maps, 0, 2, 3, 1)), 0, 3, 1, 2);
    }

    /** The scaled MLP of maps [batch, channels, side, side]; the same shape. */
    Value mixedMaps(BackboneStep.Mlp mlp, Value maps) {
        return operators.permuted(mixed(mlp, operators.permuted(maps, 0, 2, 3, 1)), 0, 3, 1, 2);
    }

    /** Tokens of the whole image and of its patches: [batch, others + side·side, channels]. */
    Value tokens(BackboneStep.Embedding embedding, Features patches) {
        long side = patches.side();
        Value grid = operators.reshaped(
                operators.permuted(patches.value(), 0, 2, 3, 1), 0L, side * side, (long) patches.channels());
        try (Scope scope = Scope.open()) {
            Value positions = weights.computed(
                    PREFIX + "positions." + side, floats(embedding.positions().apply(patches.side())));
            Value whole = weights.computed(
                    PREFIX + "tokens." + side, floats(embedding.whole().get()));
            Value batch = graph.node("Shape", List.of(grid), Attribute.of("start", 0), Attribute.of("end", 1));
            Value repeated =
                    graph.node("Expand", List.of(whole, operators.joined(List.of(batch, graph.sizes(1L, 1L)), 0)));
            return operators.joined(List.of(repeated, operators.add(grid, positions)), 1);
        }
    }

    /** How many tokens are not patches. */
    int others(BackboneStep.Embedding embedding) {
        try (Scope scope = Scope.open()) {
            return Math.toIntExact(embedding.whole().get().size(1));
        }
    }

    /** The tokens of patches as maps: [batch, others + side·side, channels] → [batch, channels, side, side]. */
    Value maps(Features tokens, long others) {
        long side = tokens.side();
        Value patches = graph.node(
                "Slice",
                List.of(tokens.value(), graph.sizes(others), graph.sizes(others + side * side), graph.sizes(1L)));
        Value grid = operators.reshaped(patches, 0L, side, side, (long) tokens.channels());
        return operators.permuted(grid, 0, 3, 1, 2);
    }

    /** One block of a vision transformer: [batch, tokens, channels], as it came. */
    Value transformed(BackboneStep.TransformerBlock block, Features x) {
        long tokens = block.others() + x.positions();
        Value y = operators.add(x.value(), attended(block.attention(), x.value(), tokens));
        Value z = operators.add(y, mixed(block.mlp(), y));
        return block.last().map(norm -> normed(norm, z)).orElse(z);
    }

    private Value attended(BackboneStep.Attention attention, Value x, long tokens) {
        long heads = attention.heads();
        long channels = attention.out().weight().size(0);
        Value all = operators.permuted(
                operators.reshaped(
                        product(attention.qkv(), normed(attention.norm(), x)), 0L, tokens, 3L, heads, channels / heads),
                2,
                0,
                3,
                1,
                4);
        Value queries = operators.taken(all, graph.sizes(0L), 0);
        Value keys = operators.permuted(operators.taken(all, graph.sizes(1L), 0), 0, 1, 2, 4, 3);
        Value values = operators.taken(all, graph.sizes(2L), 0);
        Value scores = operators.multiply(operators.product(queries, keys), 1 / Math.sqrt((double) channels / heads));
        Value heard = operators.product(operators.softmax(scores, -1), values);
        Value joined = operators.reshaped(operators.permuted(heard, 0, 1, 3, 2, 4), -1L, tokens, channels);
        return scaled(attention.scale(), product(attention.out(), joined));
    }

    private Value mixed(BackboneStep.Mlp mlp, Value x) {
        Value inner = product(mlp.first(), normed(mlp.norm(), x));
        return scaled(mlp.scale(), product(mlp.second(), gelu(inner)));
    }

    /** x·½(1 + erf(x/√2)); ONNX has no operator for it before version 20. */
    private Value gelu(Value x) {
        Value erf = operators.each("Erf", operators.multiply(x, Math.sqrt(0.5)));
        return operators.multiply(operators.multiply(x, operators.add(erf, graph.scalar(1))), 0.5);
    }

    private Value normed(BackboneStep.Norm norm, Value x) {
        return graph.node(
                "LayerNormalization",
                List.of(
                        x,
                        weights.constant(PREFIX + norm.name() + ".weight", norm.weight()),
                        weights.constant(PREFIX + norm.name() + ".bias", norm.bias())),
                Attribute.of("axis", -1),
                new Attribute.Real("epsilon", (float) norm.epsilon()));
    }

    private Value product(BackboneStep.Product product, Value x) {
        Value weight = weights.constant(PREFIX + product.name() + ".weight", product.weight());
        Value bias = weights.constant(PREFIX + product.name() + ".bias", product.bias());
        return operators.add(operators.product(x, operators.permuted(weight, 1, 0)), bias);
    }

    private Value scaled(BackboneStep.Scale scale, Value x) {
        List<Long> channels = List.of(scale.weight().numel());
        return operators.multiply(x, weights.constant(PREFIX + scale.name(), scale.weight(), channels));
    }

    private static Tensor floats(Tensor tensor) {
        return FLOAT.place(tensor.detach()).contiguous();
    }
}
