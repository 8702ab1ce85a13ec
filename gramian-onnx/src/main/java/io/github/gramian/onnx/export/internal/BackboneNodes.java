package io.github.gramian.onnx.export.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.model.ModelException;
import io.github.gramian.onnx.export.internal.BackboneNodes.Features;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** Images [batch, 3, size, size] to the features of some layers. Several sizes share the weights. */
final class BackboneNodes {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);
    private static final String PREFIX = "backbone.";

    private final GraphBuilder graph;
    private final Weights weights;
    private final List<BackboneStep> steps;

    /** @param steps what the network computes, in order */
    BackboneNodes(GraphBuilder graph, Weights weights, List<BackboneStep> steps) {
        this.graph = graph;
        this.weights = weights;
        this.steps = List.copyOf(steps);
    }

    /** Adds the layers up to the last that is asked for, and returns the features by the names that were asked. */
    Map<String, Features> features(Value images, int size, List<String> taps, String part) throws ModelException {
        Map<String, Features> found = new LinkedHashMap<>();
        Features current = new Features(images, 3, size);
        for (BackboneStep step : steps) {
            if (found.size() == taps.size()) {
                break;
            }
            graph.within(part + "/" + step.tap().name());
            current = next(step, current);
            for (String tap : taps) {
                if (step.tap().isCalled(tap)) {
                    found.put(tap, taken(step, current));
                }
            }
        }
        graph.within("");
        return found;
    }

    private Features next(BackboneStep step, Features x) throws ModelException {
        if (step instanceof BackboneStep.Convolved one) {
            return rectified(convolved(one.convolution(), x));
        }
        if (step instanceof BackboneStep.Pooled one) {
            Value pooled = graph.node(
                    "MaxPool",
                    List.of(x.value()),
                    square("kernel_shape", one.kernel()),
                    square("strides", one.stride()),
                    pads(one.padding()));
            return new Features(pooled, x.channels(), side(x.side(), one.kernel(), one.stride(), one.padding()));
        }
        if (step instanceof BackboneStep.Residual one) {
            return residual(one, x);
        }
        if (step instanceof BackboneStep.Stem one) {
            Features patches = convolved(one.convolution(), x);
            return patches.with(normedMaps(one.norm(), patches.value()));
        }
        if (step instanceof BackboneStep.ConvNextBlock one) {
            Features y = one.halving()
                    .map(halving -> convolved(halving.convolution(), x.with(normedMaps(halving.norm(), x.value()))))
                    .orElse(x);
            Value added = mixedMaps(one.mlp(), convolved(one.depthwise(), y).value());
            return y.with(graph.add(y.value(), added));
        }
        if (step instanceof BackboneStep.Embedding one) {
            Features patches = convolved(one.patches(), x);
            return patches.with(tokens(one, patches));
        }
        if (step instanceof BackboneStep.TransformerBlock one) {
            return x.with(transformed(one, x));
        }
        throw new ModelException("the layer " + step.tap().name()
                + " makes vectors, not feature maps, and is not exported; train on an earlier layer");
    }

    /** Features of a tap: the tokens of patches as maps, anything else unchanged. */
    private Features taken(BackboneStep step, Features x) {
        if (step instanceof BackboneStep.TransformerBlock block) {
            return x.with(maps(x, block.others()));
        }
        return step instanceof BackboneStep.Embedding embedding ? x.with(maps(x, others(embedding))) : x;
    }

    private Features residual(BackboneStep.Residual block, Features x) {
        Features y = convolved(block.path().get(0), x);
        for (BackboneStep.Convolution next :
                block.path().subList(1, block.path().size())) {
            y = convolved(next, rectified(y));
        }
        Value shortcut = block.shortcut().map(one -> convolved(one, x).value()).orElse(x.value());
        return rectified(y.with(graph.add(y.value(), shortcut)));
    }

    private Features rectified(Features x) {
        return x.with(graph.each("Relu", x.value()));
    }

    private Features convolved(BackboneStep.Convolution convolution, Features x) {
        Tensor weight = convolution.weight();
        int kernel = Math.toIntExact(weight.size(2));
        List<Value> arguments = new ArrayList<>();
        arguments.add(x.value());
        arguments.add(weights.constant(PREFIX + convolution.name() + ".weight", weight));
        convolution
                .bias()
                .ifPresent(bias -> arguments.add(weights.constant(PREFIX + convolution.name() + ".bias", bias)));
        List<Attribute> attributes = new ArrayList<>(List.of(
                square("kernel_shape", kernel), square("strides", convolution.stride()), pads(convolution.padding())));
        if (weight.size(1) < x.channels()) {
            attributes.add(Attribute.of("group", x.channels() / weight.size(1)));
        }
        Value y = graph.node("Conv", arguments, attributes.toArray(Attribute[]::new));
        return new Features(
                y,
                Math.toIntExact(weight.size(0)),
                side(x.side(), kernel, convolution.stride(), convolution.padding()));
    }

    private static int side(int before, int kernel, int stride, int padding) {
        return (before + 2 * padding - kernel) / stride + 1;
    }

    private static Attribute square(String name, long side) {
        return Attribute.of(name, List.of(side, side));
    }

    private static Attribute pads(long padding) {
        return Attribute.of("pads", List.of(padding, padding, padding, padding));
    }

    /**
     * Feature maps of a batch.
     *
     * @param value [batch, channels, side, side]; between the layers of a vision transformer [batch, tokens, channels]
     */
    record Features(Value value, int channels, int side) {

        /** Other values of the same shape. */
        Features with(Value other) {
            return new Features(other, channels, side);
        }

        /** N: positions of a map. */
        long positions() {
            return (long) side * side;
        }
    }

    /** The norm over channels of maps [batch, channels, side, side]; the same shape. */
    private Value normedMaps(BackboneStep.Norm norm, Value maps) {
        return graph.permuted(normed(norm, graph.permuted(maps, 0, 2, 3, 1)), 0, 3, 1, 2);
    }

    /** The scaled MLP of maps [batch, channels, side, side]; the same shape. */
    private Value mixedMaps(BackboneStep.Mlp mlp, Value maps) {
        return graph.permuted(mixed(mlp, graph.permuted(maps, 0, 2, 3, 1)), 0, 3, 1, 2);
    }

    /** Tokens of the whole image and of its patches: [batch, others + side·side, channels]. */
    private Value tokens(BackboneStep.Embedding embedding, Features patches) {
        long side = patches.side();
        Value grid =
                graph.reshaped(graph.permuted(patches.value(), 0, 2, 3, 1), 0L, side * side, (long) patches.channels());
        try (Scope scope = Scope.open()) {
            Value positions = weights.computed(
                    PREFIX + "positions." + side, floats(embedding.positions().apply(patches.side())));
            Value whole = weights.computed(
                    PREFIX + "tokens." + side, floats(embedding.whole().get()));
            Value batch = graph.node("Shape", List.of(grid), Attribute.of("start", 0), Attribute.of("end", 1));
            Value repeated = graph.node("Expand", List.of(whole, graph.joined(List.of(batch, graph.sizes(1L, 1L)), 0)));
            return graph.joined(List.of(repeated, graph.add(grid, positions)), 1);
        }
    }

    /** How many tokens are not patches. */
    private int others(BackboneStep.Embedding embedding) {
        try (Scope scope = Scope.open()) {
            return Math.toIntExact(embedding.whole().get().size(1));
        }
    }

    /** The tokens of patches as maps: [batch, others + side·side, channels] → [batch, channels, side, side]. */
    private Value maps(Features tokens, long others) {
        long side = tokens.side();
        Value patches = graph.node(
                "Slice",
                List.of(tokens.value(), graph.sizes(others), graph.sizes(others + side * side), graph.sizes(1L)));
        Value grid = graph.reshaped(patches, 0L, side, side, (long) tokens.channels());
        return graph.permuted(grid, 0, 3, 1, 2);
    }

    /** One block of a vision transformer: [batch, tokens, channels], as it came. */
    private Value transformed(BackboneStep.TransformerBlock block, Features x) {
        long tokens = block.others() + x.positions();
        Value y = graph.add(x.value(), attended(block.attention(), x.value(), tokens));
        Value z = graph.add(y, mixed(block.mlp(), y));
        return block.last().map(norm -> normed(norm, z)).orElse(z);
    }

    private Value attended(BackboneStep.Attention attention, Value x, long tokens) {
        long heads = attention.heads();
        long channels = attention.out().weight().size(0);
        Value all = graph.permuted(
                graph.reshaped(
                        product(attention.qkv(), normed(attention.norm(), x)), 0L, tokens, 3L, heads, channels / heads),
                2,
                0,
                3,
                1,
                4);
        Value queries = graph.taken(all, graph.sizes(0L), 0);
        Value keys = graph.permuted(graph.taken(all, graph.sizes(1L), 0), 0, 1, 2, 4, 3);
        Value values = graph.taken(all, graph.sizes(2L), 0);
        Value scores = graph.multiply(graph.product(queries, keys), 1 / Math.sqrt((double) channels / heads));
        Value heard = graph.product(graph.softmax(scores, -1), values);
        Value joined = graph.reshaped(graph.permuted(heard, 0, 1, 3, 2, 4), -1L, tokens, channels);
        return scaled(attention.scale(), product(attention.out(), joined));
    }

    private Value mixed(BackboneStep.Mlp mlp, Value x) {
        Value inner = product(mlp.first(), normed(mlp.norm(), x));
        return scaled(mlp.scale(), product(mlp.second(), gelu(inner)));
    }

    /** x·½(1 + erf(x/√2)); ONNX has no operator for it before version 20. */
    private Value gelu(Value x) {
        Value erf = graph.each("Erf", graph.multiply(x, Math.sqrt(0.5)));
        return graph.multiply(graph.multiply(x, graph.add(erf, graph.scalar(1))), 0.5);
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
        return graph.add(graph.product(x, graph.permuted(weight, 1, 0)), bias);
    }

    private Value scaled(BackboneStep.Scale scale, Value x) {
        List<Long> channels = List.of(scale.weight().numel());
        return graph.multiply(x, weights.constant(PREFIX + scale.name(), scale.weight(), channels));
    }

    private static Tensor floats(Tensor tensor) {
        return FLOAT.place(tensor.detach()).contiguous();
    }
}
