package io.github.gramian.onnx.export.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.GaussianMixture;
import io.github.gramian.model.config.CodebookConfig;
import io.github.gramian.onnx.graph.internal.Attribute;
import io.github.gramian.onnx.graph.internal.GraphBuilder;
import io.github.gramian.onnx.graph.internal.Initializer;
import io.github.gramian.onnx.graph.internal.Operators;
import io.github.gramian.onnx.graph.internal.Value;
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
    private final Operators operators;
    private final Weights weights;
    private final String branch;

    CodebookNodes(GraphBuilder graph, Weights weights, String branch) {
        this.graph = graph;
        this.operators = new Operators(graph);
        this.weights = weights;
        this.branch = branch;
    }

    /** rₖ = Σ(xₙ − cₖ) over the positions whose nearest centre is cₖ. */
    Value vlad(CodebookConfig.Vlad config, FeatureMatrix M) {
        graph.within(branch + "/vlad");
        String name = branch + ".vlad.centres";
        Value centres = weights.parameter(name);
        // The length of x is the same for all centres and decides nothing.
        Value distances =
                operators.subtract(squaredLengths(name), operators.multiply(operators.product(centres, M.value()), 2));
        Value nearest = graph.node("ArgMin", List.of(distances), Attribute.of("axis", 1), Attribute.of("keepdims", 1));
        long count = config.centres();
        Value indices = graph.constant(Initializer.of(
                branch + ".vlad.numbers",
                List.of(count, 1L),
                LongStream.range(0, count).toArray()));
        Value assigned = operators.floats(operators.equal(nearest, indices));
        Value residuals = residuals(assigned, M, centres);
        if (config.intraNormalisation()) {
            Value lengths = operators.reduced("ReduceL2", residuals, 2, true);
            residuals = operators.unit(residuals, lengths, BranchNodes.MIN_LENGTH);
        }
        return flat(residuals, count * M.channels());
    }

    /** eₖ = Σ aₖₙ(xₙ − cₖ) with a = softmax over k of −exp(ℓₖ)‖xₙ − cₖ‖². */
    Value encoding(CodebookConfig.Encoding config, FeatureMatrix M) {
        graph.within(branch + "/encoding");
        String name = branch + ".encoding.codewords";
        Value codewords = weights.parameter(name);
        Value lengths = operators.reduced("ReduceSumSquare", M.value(), 1, true);
        Value products = operators.product(operators.multiply(codewords, -2), M.value());
        Value distances = operators.add(operators.add(products, squaredLengths(name)), lengths);
        Value rates;
        try (Scope scope = Scope.open()) {
            Tensor logarithms = DOUBLE.place(weights.tensor(branch + ".encoding.logSmoothing"));
            rates = weights.computed(
                    branch + ".encoding.rates", logarithms.exp().neg().unsqueeze(1));
        }
        Value shares = operators.softmax(operators.multiply(distances, rates), 1);
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
            Value squares = operators.multiply(M.value(), M.value());
            Value logarithms = operators.add(
                    operators.product(weights.computed(name + "quadratic", densities.quadratic()), squares),
                    operators.product(weights.computed(name + "linear", densities.linear()), M.value()));
            Value posteriors = operators.softmax(
                    operators.add(logarithms, weights.computed(name + "constant", densities.constant())), 1);
            Value mass = operators.sum(posteriors, 2);
            Value first = operators.product(posteriors, operators.transposed(M.value()));
            Value second = operators.product(posteriors, operators.transposed(squares));

            Tensor forMeans = w.rsqrt().div(scalar((double) M.positions())).unsqueeze(1);
            Tensor forVariances = forMeans.mul(scalar(Math.sqrt(0.5)));
            Tensor ofFirst = u.rsqrt().mul(forMeans);
            Tensor ofSecond = u.reciprocal().mul(forVariances);
            Value g = operators.subtract(
                    operators.multiply(first, weights.computed(name + "first", ofFirst)),
                    operators.multiply(mass, weights.computed(name + "firstMass", ofFirst.mul(mu))));
            Tensor secondFirst = ofSecond.mul(mu).mul(scalar(2.0));
            Tensor secondMass = ofSecond.mul(mu).mul(mu).sub(forVariances);
            Value difference = operators.subtract(
                    operators.multiply(second, weights.computed(name + "second", ofSecond)),
                    operators.multiply(first, weights.computed(name + "secondFirst", secondFirst)));
            Value h = operators.add(
                    difference, operators.multiply(mass, weights.computed(name + "secondMass", secondMass)));
            long half = (long) config.components() * M.channels();
            return operators.joined(List.of(flat(g, half), flat(h, half)), 1);
        }
    }

    /** Σₙ aₖₙ(xₙ − cₖ) = A·Mᵀ − (A·1)∘c: [batch, words, C]. */
    private Value residuals(Value assigned, FeatureMatrix M, Value words) {
        Value sums = operators.product(assigned, operators.transposed(M.value()));
        return operators.subtract(sums, operators.multiply(operators.sum(assigned, 2), words));
    }

    /** ‖cₖ‖²: [words, 1]. */
    private Value squaredLengths(String words) {
        try (Scope scope = Scope.open()) {
            Tensor c = DOUBLE.place(weights.tensor(words));
            return weights.computed(words + ".squares", c.square().sum(1).unsqueeze(1));
        }
    }

    private Value flat(Value words, long length) {
        return operators.reshaped(words, 0L, length);
    }
}
