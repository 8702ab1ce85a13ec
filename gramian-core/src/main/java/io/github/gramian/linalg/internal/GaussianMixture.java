package io.github.gramian.linalg.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * p(x) = Σₖ wₖ N(x; μₖ, diag(vₖ)): K normal distributions with diagonal covariances.
 *
 * @param weights wₖ, positive, with sum 1: [K]
 * @param means μₖ: [K, C]
 * @param variances vₖ: [K, C]
 */
public record GaussianMixture(Tensor weights, Tensor means, Tensor variances) {

    private static final Placement DOUBLE = Placement.cpu(Precision.DOUBLE);
    private static final int MAX_ITERATIONS = 30;

    /** Less gain of mean log-likelihood than this, in nats a vector, ends the iterations. */
    private static final double SMALLEST_GAIN = 5e-3;

    /** Variances in a component are at least this fraction of the variance of all data in the dimension. */
    private static final double VARIANCE_FLOOR = 1e-3;

    /** Weights are at least this fraction of an even one: later steps divide by their roots. */
    private static final double WEIGHT_FLOOR = 1e-3;

    /** A dimension that hardly varies is measured by this fraction of the largest deviation instead. */
    private static final double DEVIATION_FLOOR = 1e-3;

    /**
     * log wₖ N(x; μₖ, vₖ) = aₖ·x² + bₖ·x + cₖ up to −C/2·log 2π: two products for all vectors and components.
     *
     * @param quadratic a = −1/2v: [K, C]
     * @param linear b = μ/v: [K, C]
     * @param constant c: [K, 1]
     */
    public record Densities(Tensor quadratic, Tensor linear, Tensor constant) {

        /** For columns x [..., C, n] and their squares: [..., K, n]. */
        public Tensor logarithms(Tensor columns, Tensor squares) {
            return quadratic.matmul(squares).add_(linear.matmul(columns)).add_(constant);
        }
    }

    /** The weighted densities as polynomials. */
    public Densities densities() {
        Tensor linear = means.div(variances);
        Tensor constant = means.mul(linear)
                .add(variances.log())
                .sum(new long[] {1}, true, new ScalarTypeOptional())
                .mul(scalar(-0.5))
                .add(weights.log().unsqueeze(1));
        return new Densities(variances.reciprocal().mul(scalar(-0.5)), linear, constant);
    }

    /**
     * The mixture that explains the rows of a sample [n, C] on the CPU: k-means, then expectation and maximisation in turn
     * until the likelihood hardly grows. Dimensions are scaled to unit deviation first and rescaled afterwards, so that the
     * floor of the variances means the same in each; sums are computed in double.
     */
    public static GaussianMixture fit(Tensor sample, int components, Seed seed) {
        try (Scope scope = Scope.open()) {
            Tensor mean = sample.mean(0);
            Tensor deviation = sample.sub(mean).square().mean(0).sqrt();
            Tensor scale = torch.maximum(deviation, deviation.max().mul(scalar(DEVIATION_FLOOR)))
                    .clamp_min(scalar(1e-6));
            Tensor vectors = sample.sub(mean).div_(scale);
            GaussianMixture fitted = started(KMeans.of(components).fit(vectors, seed));
            double before = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < MAX_ITERATIONS; i++) {
                double likelihood = fitted.improve(vectors);
                if (!(likelihood - before > SMALLEST_GAIN)) {
                    break;
                }
                before = likelihood;
            }
            return new GaussianMixture(
                    scope.promote(fitted.weights),
                    scope.promote(fitted.means.mul(scale).add(mean)),
                    scope.promote(fitted.variances.mul(scale.square())));
        }
    }

    private static GaussianMixture started(KMeans.Clusters clusters) {
        return new GaussianMixture(
                floored(clusters.shares()),
                clusters.centres().clone(),
                clusters.variances().clamp_min(scalar(VARIANCE_FLOOR)));
    }

    private static Tensor floored(Tensor weights) {
        Tensor raised = weights.clamp_min(scalar(WEIGHT_FLOOR / weights.size(0)));
        return raised.div(raised.sum());
    }

    /** One step of expectation and maximisation, in place; returns the mean log-likelihood before. */
    private double improve(Tensor vectors) {
        try (Scope scope = Scope.open()) {
            Tensor likelihoods = torch.zeros(new long[] {vectors.size(0)}, DOUBLE.options());
            Moments moments = expectation(vectors, likelihoods);
            // A component that hardly any vector belongs to does not change.
            Tensor alive = moments.mass().ge(scalar(1.0));
            Placement placement = Placement.of(vectors);
            means.copy_(torch.where(alive, placement.place(moments.means()), means));
            variances.copy_(torch.where(
                    alive, placement.place(moments.variances()).clamp_min(scalar(VARIANCE_FLOOR)), variances));
            weights.copy_(floored(placement.place(moments.mass().squeeze(1)).div(scalar((double) vectors.size(0)))));
            return likelihoods.mean().item_double();
        }
    }

    /** Computes the posteriors of every vector, and fills in the logarithms of its density: [n]. */
    private Moments expectation(Tensor vectors, Tensor likelihoods) {
        Densities densities = densities();
        return Moments.of(vectors, weights.size(0), (portion, first) -> {
            Tensor columns = portion.t();
            Tensor logarithms = densities.logarithms(columns, columns.square());
            likelihoods.narrow(0, first, portion.size(0)).copy_(logarithms.logsumexp(0));
            return logarithms.softmax(0);
        });
    }
}
