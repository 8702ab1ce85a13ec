package io.github.gramian.onnx.export.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.GaussianMixture;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.onnx.export.internal.BranchNodes.FeatureMatrix;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import java.util.List;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.Tensor;

/**
 * Positions assigned to words: [batch, C, N] → [batch, words·C], twice that for Fisher vectors. Everything that depends on the
 * codebook alone is computed here, in double.
 */
final class CodebookNodes {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);

    private final GraphBuilder graph;
    private final Weights weights;
    private final String branch;

    CodebookNodes(GraphBuilder graph, Weights weights, String branch) {
        this.graph = graph;
        this.weights = weights;
        this.branch = branch;
    }

    /** rₖ = Σ(xₙ − cₖ) over the positions whose nearest centre is cₖ. */
    Value vlad(CodebookConfig.Vlad config, FeatureMatrix M) {
        graph.within(branch + "/vlad");
        String name = branch + ".vlad.centres";
        Value centres = weights.parameter(name);
        // The length of x is the same for all centres and decides nothing.
        Value distances = graph.subtract(squaredLengths(name), graph.multiply(graph.product(centres, M.value()), 2));
        Value nearest = graph.node("ArgMin", List.of(distances), Attribute.of("axis", 1), Attribute.of("keepdims", 1));
        long count = config.centres();
        Value indices = graph.constant(Initializer.of(
                branch + ".vlad.numbers",
                List.of(count, 1L),
                LongStream.range(0, count).toArray()));
        Value assigned = graph.floats(graph.equal(nearest, indices));
        Value residuals = residuals(assigned, M, centres);
        if (config.intraNormalisation()) {
            Value lengths = graph.reduced("ReduceL2", residuals, 2, true);
            residuals = graph.unit(residuals, lengths, BranchNodes.MIN_LENGTH);
        }
        return flat(residuals, count * M.channels());
    }

    /** eₖ = Σ aₖₙ(xₙ − cₖ) with a = softmax over k of −exp(ℓₖ)‖xₙ − cₖ‖². */
    Value encoding(CodebookConfig.Encoding config, FeatureMatrix M) {
        graph.within(branch + "/encoding");
        String name = branch + ".encoding.codewords";
        Value codewords = weights.parameter(name);
        Value lengths = graph.reduced("ReduceSumSquare", M.value(), 1, true);
        Value products = graph.product(graph.multiply(codewords, -2), M.value());
        Value distances = graph.add(graph.add(products, squaredLengths(name)), lengths);
        Value rates;
        try (Scope scope = Scope.open()) {
            Tensor logarithms = DOUBLE.place(weights.tensor(branch + ".encoding.logSmoothing"));
            rates = weights.computed(
                    branch + ".encoding.rates", logarithms.exp().neg().unsqueeze(1));
        }
        Value shares = graph.softmax(graph.multiply(distances, rates), 1);
        return flat(residuals(shares, M, codewords), (long) config.codewords() * M.channels());
    }

    /** All gₖ, then all hₖ: linear in Σγ, Σγx and Σγx² with γ the posteriors of the mixture. */
    Value fisher(CodebookConfig.Fisher config, FeatureMatrix M) {
        graph.within(branch + "/fisher");
        String name = branch + ".fisher.";
        try (Scope scope = Scope.open()) {
            Tensor w = DOUBLE.place(weights.tensor(name + "weights"));
            Tensor mu = DOUBLE.place(weights.tensor(name + "means"));
            Tensor u = DOUBLE.place(weights.tensor(name + "variances"));
            GaussianMixture.Densities densities = new GaussianMixture(w, mu, u).densities();
            Value squares = graph.multiply(M.value(), M.value());
            Value logarithms = graph.add(
                    graph.product(weights.computed(name + "quadratic", densities.quadratic()), squares),
                    graph.product(weights.computed(name + "linear", densities.linear()), M.value()));
            Value posteriors =
                    graph.softmax(graph.add(logarithms, weights.computed(name + "constant", densities.constant())), 1);
            Value mass = graph.sum(posteriors, 2);
            Value first = graph.product(posteriors, graph.transposed(M.value()));
            Value second = graph.product(posteriors, graph.transposed(squares));

            Tensor forMeans = w.rsqrt().div(scalar((double) M.positions())).unsqueeze(1);
            Tensor forVariances = forMeans.mul(scalar(Math.sqrt(0.5)));
            Tensor ofFirst = u.rsqrt().mul(forMeans);
            Tensor ofSecond = u.reciprocal().mul(forVariances);
            Value g = graph.subtract(
                    graph.multiply(first, weights.computed(name + "first", ofFirst)),
                    graph.multiply(mass, weights.computed(name + "firstMass", ofFirst.mul(mu))));
            Tensor secondFirst = ofSecond.mul(mu).mul(scalar(2.0));
            Tensor secondMass = ofSecond.mul(mu).mul(mu).sub(forVariances);
            Value difference = graph.subtract(
                    graph.multiply(second, weights.computed(name + "second", ofSecond)),
                    graph.multiply(first, weights.computed(name + "secondFirst", secondFirst)));
            Value h = graph.add(difference, graph.multiply(mass, weights.computed(name + "secondMass", secondMass)));
            long half = (long) config.components() * M.channels();
            return graph.joined(List.of(flat(g, half), flat(h, half)), 1);
        }
    }

    /** Σₙ aₖₙ(xₙ − cₖ) = A·Mᵀ − (A·1)∘c: [batch, words, C]. */
    private Value residuals(Value assigned, FeatureMatrix M, Value words) {
        Value sums = graph.product(assigned, graph.transposed(M.value()));
        return graph.subtract(sums, graph.multiply(graph.sum(assigned, 2), words));
    }

    /** ‖cₖ‖²: [words, 1]. */
    private Value squaredLengths(String words) {
        try (Scope scope = Scope.open()) {
            Tensor c = DOUBLE.place(weights.tensor(words));
            return weights.computed(words + ".squares", c.square().sum(1).unsqueeze(1));
        }
    }

    private Value flat(Value words, long length) {
        return graph.reshaped(words, 0L, length);
    }
}
