package io.github.gramian.onnx.export.internal;

import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.model.config.RootConfig;
import io.github.gramian.model.config.TransformConfig;
import io.github.gramian.onnx.export.internal.BranchNodes.FeatureMatrix;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.tensor.Precision;
import java.util.List;

/**
 * Feature maps M [batch, C, N] to vectors [batch, m(m+1)/2]: the kernel matrix K = kernel(M) + εI [batch, C, C], transformations WᵀKW
 * to m×m, the root, the upper triangle.
 */
final class SpdNodes {

    /** As the kernel layers have them: σ does not go below the noise of distances, nor below this. */
    private static final double ROUNDINGS = 8;

    private static final double MIN_SIGMA = 1e-12;

    /** Prevents division by zero for a matrix of zeros, whose trace is zero. */
    private static final double MIN_TRACE = 1e-30;

    private final GraphBuilder graph;
    private final Weights weights;
    private final String branch;

    SpdNodes(GraphBuilder graph, Weights weights, String branch) {
        this.graph = graph;
        this.weights = weights;
        this.branch = branch;
    }

    Value vector(AggregatorConfig.SpdMatrix config, FeatureMatrix M) {
        Value Y = matrix(config.aggregation(), M);
        int size = M.channels();
        for (int i = 0; i < config.transforms().size(); i++) {
            TransformConfig transform = config.transforms().get(i);
            String name = "transform" + (i + 1);
            graph.within(branch + "/" + name);
            Value W = weights.parameter(branch + "." + name + ".W");
            Y = graph.product(graph.permuted(W, 1, 0), graph.product(Y, W));
            if (transform.activation() instanceof TransformConfig.Activation.ElementwiseRelu) {
                Y = graph.each("Relu", Y);
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

    private Value matrix(AggregationConfig aggregation, FeatureMatrix maps) {
        graph.within(branch + "/kernel");
        Value M = aggregation.mapCentring() ? centred(maps.value()) : maps.value();
        if (aggregation.unitMaps()) {
            Value lengths = graph.reduced("ReduceL2", M, 2, true);
            M = graph.unit(M, lengths, BranchNodes.MIN_LENGTH);
        }
        Value diagonal = graph.diagonal(maps.channels());
        Value K = kernel(aggregation.kernel(), new FeatureMatrix(M, maps.channels(), maps.positions()), diagonal);
        if (aggregation.jitter() > 0) {
            K = graph.where(diagonal, graph.add(K, graph.scalar(aggregation.jitter())), K);
        }
        graph.within(branch);
        return K;
    }

    private Value kernel(KernelConfig kernel, FeatureMatrix M, Value diagonal) {
        if (kernel instanceof KernelConfig.Linear) {
            return products(M.value(), M.positions());
        }
        if (kernel instanceof KernelConfig.Covariance) {
            return products(centred(M.value()), Math.max(1, M.positions() - 1));
        }
        if (kernel instanceof KernelConfig.Polynomial polynomial) {
            Value shifted = graph.add(products(M.value(), M.positions()), graph.scalar(polynomial.offset()));
            Value power = shifted;
            for (int i = 1; i < polynomial.degree(); i++) {
                power = graph.multiply(power, shifted);
            }
            return power;
        }
        Value squares = graph.reduced("ReduceSumSquare", M.value(), 2, true);
        Value D = squaredDistances(M.value(), squares, diagonal);
        if (kernel instanceof KernelConfig.Rbf rbf) {
            return gaussian(D, sigma(rbf.bandwidth(), D, squares, M.channels()), 1);
        }
        if (kernel instanceof KernelConfig.MultiRbf multi) {
            return mean(D, sigma(multi.bandwidth(), D, squares, M.channels()), multi.multiples());
        }
        Value sigma = sigma(((KernelConfig.Laplacian) kernel).bandwidth(), D, squares, M.channels());
        return graph.each("Exp", graph.each("Neg", graph.divide(graph.each("Sqrt", D), sigma)));
    }

    private Value centred(Value M) {
        return graph.subtract(M, graph.reduced("ReduceMean", M, 2, true));
    }

    /** MMᵀ/count. */
    private Value products(Value M, long count) {
        return graph.multiply(graph.product(M, graph.transposed(M)), 1.0 / count);
    }

    /** D = sq·1ᵀ + 1·sqᵀ − 2MMᵀ, zero on the diagonal and nowhere below zero. */
    private Value squaredDistances(Value M, Value squares, Value diagonal) {
        Value sums = graph.add(squares, graph.transposed(squares));
        Value D = graph.subtract(sums, graph.multiply(graph.product(M, graph.transposed(M)), 2));
        return graph.each("Relu", graph.where(diagonal, graph.scalar(0), D));
    }

    /** σ: [batch, 1, 1], or one number for all images. */
    private Value sigma(Bandwidth bandwidth, Value D, Value squares, int channels) {
        if (bandwidth instanceof Bandwidth.Fixed fixed) {
            return graph.scalar(fixed.sigma());
        }
        if (bandwidth instanceof Bandwidth.Global) {
            return weights.parameter(branch + ".kernel.sigma.mean");
        }
        double pairs = Math.max(1.0, (double) channels * (channels - 1));
        Value rows = graph.sum(graph.each("Sqrt", D), 2); // two steps keep digits that one long sum would lose
        Value meanDistance = graph.multiply(graph.sum(rows, 1), 1 / pairs);
        Value meanSquare = graph.multiply(graph.sum(squares, 1), 1.0 / channels);
        double rounding = ROUNDINGS * Math.sqrt(Precision.FLOAT.epsilon());
        Value noise = graph.atLeast(graph.multiply(graph.each("Sqrt", meanSquare), rounding), MIN_SIGMA);
        return graph.larger(meanDistance, noise);
    }

    /** exp(−D/2(mσ)²). */
    private Value gaussian(Value D, Value sigma, double multiple) {
        Value width = graph.multiply(sigma, multiple);
        Value rate = graph.multiply(graph.each("Reciprocal", graph.multiply(width, width)), -0.5);
        return graph.each("Exp", graph.multiply(D, rate));
    }

    private Value mean(Value D, Value sigma, List<Double> multiples) {
        Value sum = gaussian(D, sigma, multiples.get(0));
        for (double multiple : multiples.subList(1, multiples.size())) {
            sum = graph.add(sum, gaussian(D, sigma, multiple));
        }
        return graph.multiply(sum, 1.0 / multiples.size());
    }

    /** t = tr Y, then T = 3I − ZY, Y ← ½YT, Z ← ½TZ from Y/t and I, and √t·Y in the end. */
    private Value root(Value matrix, int size, int iterations) {
        Value diagonal = graph.diagonal(size);
        Value onDiagonal = graph.where(diagonal, matrix, graph.scalar(0));
        Value trace = graph.atLeast(graph.sum(graph.sum(onDiagonal, 2), 1), MIN_TRACE);
        Value threes = graph.where(diagonal, graph.scalar(3), graph.scalar(0));
        Value Y = graph.divide(matrix, trace);
        Value T = graph.subtract(threes, Y); // Z is the identity at first
        Value Z = graph.multiply(T, 0.5);
        Y = graph.multiply(graph.product(Y, T), 0.5);
        for (int k = 1; k < iterations; k++) {
            T = graph.subtract(threes, graph.product(Z, Y));
            Y = graph.multiply(graph.product(Y, T), 0.5);
            if (k < iterations - 1) {
                Z = graph.multiply(graph.product(T, Z), 0.5);
            }
        }
        return graph.multiply(Y, graph.each("Sqrt", trace));
    }

    /** The upper triangle row by row, entries off the diagonal times √2: [batch, n(n+1)/2]. */
    private Value triangle(Value Y, int size) {
        Value factors = graph.where(graph.diagonal(size), graph.scalar(1), graph.scalar(Math.sqrt(2)));
        Value flat = graph.reshaped(graph.multiply(Y, factors), 0L, (long) size * size);
        int[] places = new int[Math.toIntExact((long) size * (size + 1) / 2)];
        int next = 0;
        for (int i = 0; i < size; i++) {
            for (int j = i; j < size; j++) {
                places[next++] = i * size + j;
            }
        }
        Value triangle = graph.constant(Initializer.of(branch + ".triangle", List.of((long) places.length), places));
        return graph.taken(flat, triangle, 1);
    }
}
