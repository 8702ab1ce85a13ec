package io.github.gramian.onnx.export.internal;

import io.github.gramian.layer.kernel.Bandwidth;
import io.github.gramian.model.config.AggregationConfig;
import io.github.gramian.model.config.KernelConfig;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.Operators;
import io.github.gramian.onnx.graph.internal.Value;
import io.github.gramian.tensor.Precision;
import java.util.List;

/** K = kernel(M) + εI. M: [batch, C, N]; K: [batch, C, C]. */
final class KernelNodes {

    /** As the kernel layers have them: σ does not go below the noise of distances, nor below this. */
    private static final double ROUNDINGS = 8;

    private static final double MIN_SIGMA = 1e-12;

    private final GraphBuilder graph;
    private final Operators operators;
    private final Weights weights;
    private final String branch;

    KernelNodes(GraphBuilder graph, Weights weights, String branch) {
        this.graph = graph;
        this.operators = new Operators(graph);
        this.weights = weights;
        this.branch = branch;
    }

    Value matrix(AggregationConfig aggregation, FeatureMatrix maps) {
        graph.within(branch + "/kernel");
        Value M = aggregation.mapCentring() ? centred(maps.value()) : maps.value();
        if (aggregation.unitMaps()) {
            Value lengths = operators.reduced("ReduceL2", M, 2, true);
            M = operators.unit(M, lengths, BranchNodes.MIN_LENGTH);
        }
        Value diagonal = operators.diagonal(maps.channels());
        Value K = kernel(aggregation.kernel(), new FeatureMatrix(M, maps.channels(), maps.positions()), diagonal);
        if (aggregation.jitter() > 0) {
            K = operators.where(diagonal, operators.add(K, graph.scalar(aggregation.jitter())), K);
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
            Value shifted = operators.add(products(M.value(), M.positions()), graph.scalar(polynomial.offset()));
            Value power = shifted;
            for (int i = 1; i < polynomial.degree(); i++) {
                power = operators.multiply(power, shifted);
            }
            return power;
        }
        Value squares = operators.reduced("ReduceSumSquare", M.value(), 2, true);
        Value D = squaredDistances(M.value(), squares, diagonal);
        if (kernel instanceof KernelConfig.Rbf rbf) {
            return gaussian(D, sigma(rbf.bandwidth(), D, squares, M.channels()), 1);
        }
        if (kernel instanceof KernelConfig.MultiRbf multi) {
            return mean(D, sigma(multi.bandwidth(), D, squares, M.channels()), multi.multiples());
        }
        Value sigma = sigma(((KernelConfig.Laplacian) kernel).bandwidth(), D, squares, M.channels());
        return operators.each("Exp", operators.each("Neg", operators.divide(operators.each("Sqrt", D), sigma)));
    }

    private Value centred(Value M) {
        return operators.subtract(M, operators.reduced("ReduceMean", M, 2, true));
    }

    /** MMᵀ/count. */
    private Value products(Value M, long count) {
        return operators.multiply(operators.product(M, operators.transposed(M)), 1.0 / count);
    }

    /** D = sq·1ᵀ + 1·sqᵀ − 2MMᵀ, zero on the diagonal and nowhere below zero. */
    private Value squaredDistances(Value M, Value squares, Value diagonal) {
        Value sums = operators.add(squares, operators.transposed(squares));
        Value D = operators.subtract(sums, operators.multiply(operators.product(M, operators.transposed(M)), 2));
        return operators.each("Relu", operators.where(diagonal, graph.scalar(0), D));
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
        Value rows = operators.sum(operators.each("Sqrt", D), 2); // two steps keep digits that one long sum would lose
        Value meanDistance = operators.multiply(operators.sum(rows, 1), 1 / pairs);
        Value meanSquare = operators.multiply(operators.sum(squares, 1), 1.0 / channels);
        double rounding = ROUNDINGS * Math.sqrt(Precision.FLOAT.epsilon());
        Value noise = operators.atLeast(operators.multiply(operators.each("Sqrt", meanSquare), rounding), MIN_SIGMA);
        return operators.larger(meanDistance, noise);
    }

    /** exp(−D/2(mσ)²). */
    private Value gaussian(Value D, Value sigma, double multiple) {
        Value width = operators.multiply(sigma, multiple);
        Value rate = operators.multiply(operators.each("Reciprocal", operators.multiply(width, width)), -0.5);
        return operators.each("Exp", operators.multiply(D, rate));
    }

    private Value mean(Value D, Value sigma, List<Double> multiples) {
        Value sum = gaussian(D, sigma, multiples.get(0));
        for (double multiple : multiples.subList(1, multiples.size())) {
            sum = operators.add(sum, gaussian(D, sigma, multiple));
        }
        return operators.multiply(sum, 1.0 / multiples.size());
    }
}
