package io.github.gramian.onnx.export.internal;

import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.Initializer;
import io.github.gramian.onnx.graph.internal.Operators;
import io.github.gramian.onnx.graph.internal.Value;
import java.util.List;

/** Kernel matrices [batch, n, n] to vectors [batch, m(m+1)/2]: transformations WᵀKW to m×m, the root, the upper triangle. */
final class MatrixNodes {

    /** Prevents division by zero for a matrix of zeros, whose trace is zero. */
    private static final double MIN_TRACE = 1e-30;

    private final GraphBuilder graph;
    private final Operators operators;
    private final Weights weights;
    private final String branch;

    MatrixNodes(GraphBuilder graph, Weights weights, String branch) {
        this.graph = graph;
        this.operators = new Operators(graph);
        this.weights = weights;
        this.branch = branch;
    }

    Value vector(AggregatorConfig.SpdMatrix config, Value K, int channels) {
        Value Y = K;
        int size = channels;
        for (int i = 0; i < config.transforms().size(); i++) {
            TransformConfig transform = config.transforms().get(i);
            String name = "transform" + (i + 1);
            graph.within(branch + "/" + name);
            Value W = weights.parameter(branch + "." + name + ".W");
            Y = operators.product(operators.permuted(W, 1, 0), operators.product(Y, W));
            if (transform.activation() instanceof TransformConfig.Activation.ElementwiseRelu) {
                Y = operators.each("Relu", Y);
            }
            size = transform.outputDim();
        }
        if (config.root() instanceof RootConfig.Iterated root) {
            graph.within(branch + "/root");
            Y = root(Y, size, root.iterations());
        }
        graph.within(branch);
        return triangle(Y, size);
    }

    /** t = tr Y, then T = 3I − ZY, Y ← ½YT, Z ← ½TZ from Y/t and I, and √t·Y in the end. */
    private Value root(Value matrix, int size, int iterations) {
        Value diagonal = operators.diagonal(size);
        Value onDiagonal = operators.where(diagonal, matrix, graph.scalar(0));
        Value trace = operators.atLeast(operators.sum(operators.sum(onDiagonal, 2), 1), MIN_TRACE);
        Value threes = operators.where(diagonal, graph.scalar(3), graph.scalar(0));
        Value Y = operators.divide(matrix, trace);
        Value T = operators.subtract(threes, Y); // Z is the identity at first
        Value Z = operators.multiply(T, 0.5);
        Y = operators.multiply(operators.product(Y, T), 0.5);
        for (int k = 1; k < iterations; k++) {
            T = operators.subtract(threes, operators.product(Z, Y));
            Y = operators.multiply(operators.product(Y, T), 0.5);
            if (k < iterations - 1) {
                Z = operators.multiply(operators.product(T, Z), 0.5);
            }
        }
        return operators.multiply(Y, operators.each("Sqrt", trace));
    }

    /** The upper triangle row by row, entries off the diagonal times √2: [batch, n(n+1)/2]. */
    private Value triangle(Value Y, int size) {
        Value factors = operators.where(operators.diagonal(size), graph.scalar(1), graph.scalar(Math.sqrt(2)));
        Value flat = operators.reshaped(operators.multiply(Y, factors), 0L, (long) size * size);
        int[] places = new int[Math.toIntExact((long) size * (size + 1) / 2)];
        int next = 0;
        for (int i = 0; i < size; i++) {
            for (int j = i; j < size; j++) {
                places[next++] = i * size + j;
            }
        }
        Value triangle = graph.constant(Initializer.of(branch + ".triangle", List.of((long) places.length), places));
        return operators.taken(flat, triangle, 1);
    }
}
