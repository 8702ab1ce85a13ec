package io.github.gramian.onnx.export.internal;

import io.github.gramian.backbone.BackboneStep;
import io.github.gramian.model.ModelException;
import io.github.gramian.onnx.graph.internal.Attribute;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.Operators;
import io.github.gramian.onnx.graph.internal.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/** Images [batch, 3, size, size] to the features of some layers. Several sizes share the weights. */
final class BackboneNodes {

    private final GraphBuilder graph;
    private final Operators operators;
    private final Weights weights;
    private final BlockNodes blocks;
    private final List<BackboneStep> steps;

    /** @param steps what the network computes, in order */
    BackboneNodes(GraphBuilder graph, Weights weights, List<BackboneStep> steps) {
        this.graph = graph;
        this.operators = new Operators(graph);
        this.weights = weights;
        this.blocks = new BlockNodes(graph, weights);
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
            return patches.with(blocks.normedMaps(one.norm(), patches.value()));
        }
        if (step instanceof BackboneStep.ConvNextBlock one) {
            Features y = one.halving()
                    .map(halving ->
                            convolved(halving.convolution(), x.with(blocks.normedMaps(halving.norm(), x.value()))))
                    .orElse(x);
            Value added =
                    blocks.mixedMaps(one.mlp(), convolved(one.depthwise(), y).value());
            return y.with(operators.add(y.value(), added));
        }
        if (step instanceof BackboneStep.Embedding one) {
            Features patches = convolved(one.patches(), x);
            return patches.with(blocks.tokens(one, patches));
        }
        if (step instanceof BackboneStep.TransformerBlock one) {
            return x.with(blocks.transformed(one, x));
        }
        throw new ModelException("the layer " + step.tap().name()
                + " makes vectors, not feature maps, and is not exported; train on an earlier layer");
    }

    /** Features of a tap: the tokens of patches as maps, anything else unchanged. */
    private Features taken(BackboneStep step, Features x) {
        if (step instanceof BackboneStep.TransformerBlock block) {
            return x.with(blocks.maps(x, block.others()));
        }
        return step instanceof BackboneStep.Embedding embedding ? x.with(blocks.maps(x, blocks.others(embedding))) : x;
    }

    private Features residual(BackboneStep.Residual block, Features x) {
        Features y = convolved(block.path().get(0), x);
        for (BackboneStep.Convolution next :
                block.path().subList(1, block.path().size())) {
            y = convolved(next, rectified(y));
        }
        Value shortcut = block.shortcut().map(one -> convolved(one, x).value()).orElse(x.value());
        return rectified(y.with(operators.add(y.value(), shortcut)));
    }

    private Features rectified(Features x) {
        return x.with(operators.each("Relu", x.value()));
    }

    private Features convolved(BackboneStep.Convolution convolution, Features x) {
        Tensor weight = convolution.weight();
        int kernel = Math.toIntExact(weight.size(2));
        List<Value> arguments = new ArrayList<>();
        arguments.add(x.value());
        arguments.add(weights.constant("backbone." + convolution.name() + ".weight", weight));
        convolution
                .bias()
                .ifPresent(bias -> arguments.add(weights.constant("backbone." + convolution.name() + ".bias", bias)));
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
}
