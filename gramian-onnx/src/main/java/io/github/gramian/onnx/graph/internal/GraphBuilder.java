package io.github.gramian.onnx.graph.internal;

import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.ElementType;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Node;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Builds an ONNX graph: collects its nodes in the order in which they are computed. A name that is taken gets a number
 * after it; {@link #within} puts a prefix before names, so that a viewer of ONNX files shows which part of a network a node
 * is of. Each operator that networks need has a method; shapes broadcast from the right, as NumPy's do.
 */
public final class GraphBuilder {

    /** Stands for an argument that an operator does without. */
    public static final Value NONE = new Value("");

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

    public Value add(Value a, Value b) {
        return node("Add", List.of(a, b));
    }

    public Value subtract(Value a, Value b) {
        return node("Sub", List.of(a, b));
    }

    /** a·b, element by element. */
    public Value multiply(Value a, Value b) {
        return node("Mul", List.of(a, b));
    }

    /** factor·a. */
    public Value multiply(Value a, double factor) {
        return multiply(a, scalar(factor));
    }

    /** a/b, element by element. */
    public Value divide(Value a, Value b) {
        return node("Div", List.of(a, b));
    }

    /** The larger of a and a number. */
    public Value atLeast(Value a, double least) {
        return node("Max", List.of(a, scalar(least)));
    }

    /** The larger of two, element by element. */
    public Value larger(Value a, Value b) {
        return node("Max", List.of(a, b));
    }

    /** A function of each element: {@code Exp}, {@code Sqrt}, {@code Abs}, {@code Relu}, {@code Neg}, {@code Reciprocal}. */
    public Value each(String operator, Value a) {
        return node(operator, List.of(a));
    }

    /** Matrix products; leading dimensions are a batch. */
    public Value product(Value a, Value b) {
        return node("MatMul", List.of(a, b));
    }

    /** [batch, n, m] → [batch, m, n]. */
    public Value transposed(Value a) {
        return permuted(a, 0, 2, 1);
    }

    /** Dimensions in another order. */
    public Value permuted(Value a, int... order) {
        return node(
                "Transpose",
                List.of(a),
                Attribute.of("perm", IntStream.of(order).asLongStream().boxed().toList()));
    }

    /** The sum over one dimension, which is retained with size 1. */
    public Value sum(Value a, long axis) {
        return node("ReduceSum", List.of(a, sizes(axis)), Attribute.of("keepdims", 1));
    }

    /** Another reduction of one dimension: {@code ReduceMean}, {@code ReduceMax}, {@code ReduceL2}, {@code ReduceSumSquare}. */
    public Value reduced(String operator, Value a, long axis, boolean keep) {
        return node(operator, List.of(a), Attribute.of("axes", List.of(axis)), Attribute.of("keepdims", keep ? 1 : 0));
    }

    /** Another shape; 0 takes the size that stands there already. */
    public Value reshaped(Value a, Long... sizes) {
        return node("Reshape", List.of(a, sizes(sizes)));
    }

    /** The elements at some places of one dimension. */
    public Value taken(Value a, Value places, long axis) {
        return node("Gather", List.of(a, places), Attribute.of("axis", axis));
    }

    /** One after the other along a dimension. */
    public Value joined(List<Value> all, long axis) {
        return all.size() == 1 ? all.get(0) : node("Concat", all, Attribute.of("axis", axis));
    }

    /** exp(a)/Σ exp(a) along a dimension. */
    public Value softmax(Value a, long axis) {
        return node("Softmax", List.of(a), Attribute.of("axis", axis));
    }

    /** Where two are equal. */
    public Value equal(Value a, Value b) {
        return node("Equal", List.of(a, b));
    }

    /** Where a is at most a number. */
    public Value atMost(Value a, double most) {
        return node("LessOrEqual", List.of(a, scalar(most)));
    }

    /** a where the condition holds, otherwise b. */
    public Value where(Value condition, Value a, Value b) {
        return node("Where", List.of(condition, a, b));
    }

    public Value floats(Value a) {
        return node("Cast", List.of(a), Attribute.of("to", ElementType.FLOAT.code()));
    }

    /** a/length; lengths of at most the number count as zero and give zeros. */
    public Value unit(Value a, Value length, double smallest) {
        Value inverse = where(atMost(length, smallest), scalar(0), each("Reciprocal", length));
        return multiply(a, inverse);
    }

    /** True on the diagonal of an n×n matrix: [n, n]. */
    public Value diagonal(int n) {
        int[] indices = IntStream.range(0, n).toArray();
        Value rows = constant(Initializer.of("rows", List.of((long) n, 1L), indices));
        Value columns = constant(Initializer.of("columns", List.of(1L, (long) n), indices));
        return equal(rows, columns);
    }

    public OnnxGraph build(String name) {
        return new OnnxGraph(name, nodes, initializers, inputs, outputs);
    }
}
