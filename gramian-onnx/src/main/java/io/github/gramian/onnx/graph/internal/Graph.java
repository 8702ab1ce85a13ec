package io.github.gramian.onnx.graph.internal;

import java.util.List;

/**
 * An ONNX graph: a function of its inputs, as nodes in an order in which each finds its inputs computed.
 *
 * @param name for people
 */
public record Graph(
        String name, List<Node> nodes, List<Initializer> initializers, List<Port> inputs, List<Port> outputs) {

    /** The version of ONNX's operators that nodes mean. */
    public static final int OPSET = 17;

    public Graph {
        nodes = List.copyOf(nodes);
        initializers = List.copyOf(initializers);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }
}
