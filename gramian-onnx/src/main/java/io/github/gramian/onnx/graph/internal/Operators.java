package io.github.gramian.onnx.graph.internal;

import java.util.List;
import java.util.stream.IntStream;

/** Adds ONNX operators to a graph, a method for each that networks need. Shapes broadcast from the right, as NumPy's do. */
public record Operators(GraphBuilder graph) {

    public Value add(Value a, Value b) {
        return graph.node("Add", List.of(a, b));
    }

    public Value subtract(Value a, Value b) {
        return graph.node("Sub", List.of(a, b));
    }

    /** a·b, element by element. */
    public Value multiply(Value a, Value b) {
        return graph.node("Mul", List.of(a, b));
    }

    /** factor·a. */
    public Value multiply(Value a, double factor) {
        return multiply(a, graph.scalar(factor));
    }

    /** a/b, element by element. */
    public Value divide(Value a, Value b) {
        return graph.node("Div", List.of(a, b));
    }

    /** The larger of a and a number. */
    public Value atLeast(Value a, double least) {
        return graph.node("Max", List.of(a, graph.scalar(least)));
    }

    /** The larger of two, element by element. */
    public Value larger(Value a, Value b) {
        return graph.node("Max", List.of(a, b));
    }

    /** A function of each element: {@code Exp}, {@code Sqrt}, {@code Abs}, {@code Relu}, {@code Neg}, {@code Reciprocal}. */
    public Value each(String operator, Value a) {
        return graph.node(operator, List.of(a));
    }

    /** Matrix products; leading dimensions are a batch. */
    public Value product(Value a, Value b) {
        return graph.node("MatMul", List.of(a, b));
    }

    /** [batch, n, m] → [batch, m, n]. */
    public Value transposed(Value a) {
        return permuted(a, 0, 2, 1);
    }

    /** Dimensions in another order. */
    public Value permuted(Value a, int... order) {
        return graph.node(
                "Transpose",
                List.of(a),
                Attribute.of("perm", IntStream.of(order).asLongStream().boxed().toList()));
    }

    /** The sum over one dimension, which is retained with size 1. */
    public Value sum(Value a, long axis) {
        return graph.node("ReduceSum", List.of(a, graph.sizes(axis)), Attribute.of("keepdims", 1));
    }

    /** Another reduction of one dimension: {@code ReduceMean}, {@code ReduceMax}, {@code ReduceL2}, {@code ReduceSumSquare}. */
    public Value reduced(String operator, Value a, long axis, boolean keep) {
        return graph.node(
                operator, List.of(a), Attribute.of("axes", List.of(axis)), Attribute.of("keepdims", keep ? 1 : 0));
    }

    /** Another shape; 0 takes the size that stands there already. */
    public Value reshaped(Value a, Long... sizes) {
        return graph.node("Reshape", List.of(a, graph.sizes(sizes)));
    }

    /** The elements at some places of one dimension. */
    public Value taken(Value a, Value places, long axis) {
        return graph.node("Gather", List.of(a, places), Attribute.of("axis", axis));
    }

    /** One after the other along a dimension. */
    public Value joined(List<Value> all, long axis) {
        return all.size() == 1 ? all.get(0) : graph.node("Concat", all, Attribute.of("axis", axis));
    }

    /** exp(a)/Σ exp(a) along a dimension. */
    public Value softmax(Value a, long axis) {
        return graph.node("Softmax", List.of(a), Attribute.of("axis", axis));
    }

    /** Where two are equal. */
    public Value equal(Value a, Value b) {
        return graph.node("Equal", List.of(a, b));
    }

    /** Where a is at most a number. */
    public Value atMost(Value a, double most) {
        return graph.node("LessOrEqual", List.of(a, graph.scalar(most)));
    }

    /** a where the condition holds, otherwise b. */
    public Value where(Value condition, Value a, Value b) {
        return graph.node("Where", List.of(condition, a, b));
    }

    public Value floats(Value a) {
        return graph.node("Cast", List.of(a), Attribute.of("to", ElementType.FLOAT.code()));
    }

    /** a/length; lengths of at most the number count as zero and give zeros. */
    public Value unit(Value a, Value length, double smallest) {
        Value inverse = where(atMost(length, smallest), graph.scalar(0), each("Reciprocal", length));
        return multiply(a, inverse);
    }

    /** True on the diagonal of an n×n matrix: [n, n]. */
    public Value diagonal(int n) {
        int[] indices = IntStream.range(0, n).toArray();
        Value rows = graph.constant(Initializer.of("rows", List.of((long) n, 1L), indices));
        Value columns = graph.constant(Initializer.of("columns", List.of(1L, (long) n), indices));
        return equal(rows, columns);
    }
}
