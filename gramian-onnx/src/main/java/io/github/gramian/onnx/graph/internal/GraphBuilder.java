package io.github.gramian.onnx.graph.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds an ONNX graph: collects its nodes in the order in which they are computed. A name that is taken gets a number
 * after it; {@link #within} puts a prefix before names, so that a viewer of ONNX files shows which part of a network a node
 * is of.
 */
public final class GraphBuilder {

    private final List<Node> nodes = new ArrayList<>();
    private final List<Initializer> initializers = new ArrayList<>();
    private final List<Port> inputs = new ArrayList<>();
    private final List<Port> outputs = new ArrayList<>();
    private final Map<String, Integer> names = new HashMap<>();
    private final Map<Float, Value> scalars = new HashMap<>();
    private final Map<List<Long>, Value> sizes = new HashMap<>();
    private String prefix = "";

    public Value input(Port port) {
        names.put(port.name(), 1);
        inputs.add(port);
        return new Value(port.name());
    }

    /** Makes a value an output of the graph, under its own name. */
    public void output(Value value, Port port) {
        names.put(port.name(), 1);
        outputs.add(port);
        nodes.add(new Node("Identity", List.of(value), new Value(port.name()), List.of()));
    }

    /** Until the next call, names begin with this and a slash. */
    public void within(String part) {
        prefix = part.isEmpty() ? "" : part + "/";
    }

    public Value node(String operator, List<Value> arguments, Attribute... attributes) {
        Value output = new Value(unique(prefix + operator));
        nodes.add(new Node(operator, arguments, output, List.of(attributes)));
        return output;
    }

    public Value constant(Initializer initializer) {
        Value value = new Value(unique(initializer.value().name()));
        initializers.add(new Initializer(value, initializer.type(), initializer.shape(), initializer.content()));
        return value;
    }

    /** A single number; the same one is stored once. */
    public Value scalar(double number) {
        return scalars.computeIfAbsent(
                (float) number, value -> constant(Initializer.of("scalar", List.of(), new float[] {value})));
    }

    /** Sizes or axes as some operators take them; the same ones are stored once. */
    public Value sizes(Long... values) {
        return sizes.computeIfAbsent(
                List.of(values),
                list -> constant(Initializer.of(
                        "sizes",
                        List.of((long) list.size()),
                        list.stream().mapToLong(Long::longValue).toArray())));
    }

    private String unique(String wanted) {
        int count = names.merge(wanted, 1, Integer::sum);
        return count == 1 ? wanted : unique(wanted + "_" + count);
    }

    public Graph build(String name) {
        return new Graph(name, nodes, initializers, inputs, outputs);
    }
}
