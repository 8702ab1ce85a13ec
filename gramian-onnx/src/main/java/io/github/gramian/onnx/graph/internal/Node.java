package io.github.gramian.onnx.graph.internal;

import java.util.List;

/**
 * One operation of an ONNX graph, with one output.
 *
 * @param operator its name in ONNX, such as {@code MatMul}
 * @param inputs in the order of the operator's schema
 * @param output of this node alone; also the node's name
 */
public record Node(String operator, List<Value> inputs, Value output, List<Attribute> attributes) {

    public Node {
        inputs = List.copyOf(inputs);
        attributes = List.copyOf(attributes);
    }
}
