package io.github.gramian.onnx.export.internal;

import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.tensor.internal.TensorBytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.Tensor;

/**
 * Tensors as constants of a graph, each stored once under its name, as floats. Tensors must remain open until the graph has
 * been written.
 */
final class Weights {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private final GraphBuilder graph;
    private final Function<String, Tensor> parameters;
    private final Map<String, Value> known = new HashMap<>();

    /** @param parameters the value of each parameter of the head, by its name */
    Weights(GraphBuilder graph, Function<String, Tensor> parameters) {
        this.graph = graph;
        this.parameters = parameters;
    }

    /** A tensor in its own shape. */
    Value constant(String name, Tensor tensor) {
        return constant(name, tensor, shape(tensor));
    }

    /** A tensor in another shape. */
    Value constant(String name, Tensor tensor, List<Long> shape) {
        return known.computeIfAbsent(
                name,
                key -> graph.constant(new Initializer(new Value(key), ElementType.FLOAT, shape, channel -> {
                    try (Scope scope = Scope.open()) {
                        TensorBytes.write(FLOAT.place(tensor.detach()), channel);
                    }
                })));
    }

    /** A few values that were computed for the graph. */
    Value computed(String name, Tensor tensor) {
        return graph.constant(Initializer.of(name, shape(tensor), HostCopy.floats(tensor)));
    }

    /** A parameter of the network in its own shape. */
    Value parameter(String name) {
        return constant(name, tensor(name));
    }

    /** A parameter of the network in another shape. */
    Value parameter(String name, Long... shape) {
        return constant(name, tensor(name), List.of(shape));
    }

    Tensor tensor(String name) {
        return parameters.apply(name);
    }

    private static List<Long> shape(Tensor tensor) {
        return LongStream.range(0, tensor.dim()).map(tensor::size).boxed().toList();
    }
}
