package io.github.gramian.layer.aggregator;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.linalg.internal.GaussianMixture;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * The Fisher vector (Perronnin et al.): how a mixture of normal distributions would have to change to explain an image's
 * vectors better. With γₖᵢ the posterior of component k at position i,
 *
 * <pre>
 * gₖ = Σᵢ γₖᵢ (xᵢ − μₖ)/√vₖ / (N √wₖ)
 * hₖ = Σᵢ γₖᵢ ((xᵢ − μₖ)²/vₖ − 1) / (N √(2wₖ))
 * </pre>
 *
 * M: [batch, C, N]; output: all g, then all h, [batch, 2·K·C]. Both are linear in Σγ, Σγx and Σγx², so that an image costs
 * four products. The gradient for M is exact, through the posteriors as well. The mixture is fitted, not learned by descent;
 * power and l2 normalisation, which make it the improved Fisher vector, follow in the branch.
 */
public final class FisherVector implements DataDependentInit {

    private final Parameter weights;
    private final Parameter means;
    private final Parameter variances;

    /**
     * With a given mixture of K normal distributions, whose tensors it takes over.
     *
     * @param weights positive, with sum 1: [K]
     * @param means of the components: [K, C]
     * @param variances of the components: [K, C]
     */
    public FisherVector(String name, Tensor weights, Tensor means, Tensor variances) {
        this.weights = Parameter.statistic(name + ".weights", weights);
        this.means = Parameter.statistic(name + ".means", means);
        this.variances = Parameter.statistic(name + ".variances", variances);
    }

    /** With means drawn at random and unit variances, to be fitted. */
    public static FisherVector unfitted(String name, long components, long channels, Placement placement, Seed seed) {
        return new FisherVector(
                name,
                torch.full(new long[] {components}, scalar(1.0 / components), placement.options()),
                seed.normal(placement, components, channels),
                torch.ones(new long[] {components, channels}, placement.options()));
    }

    @Override
    public int minVectors() {
        return (int) weights.value().size(0);
    }

    @Override
    public void fit(Tensor sample, Seed seed) {
        GaussianMixture fitted =
                GaussianMixture.fit(sample, (int) weights.value().size(0), seed);
        weights.assign(fitted.weights());
        means.assign(fitted.means());
        variances.assign(fitted.variances());
    }

    private GaussianMixture mixture() {
        return new GaussianMixture(weights.value(), means.value(), variances.value());
    }

    @Override
    public Pass forward(Tensor M, Phase phase) {
        Tensor squares = M.square();
        GaussianMixture.Densities densities = mixture().densities();
        Tensor posteriors = densities.logarithms(M, squares).softmax(1);
        Tensor mass = posteriors.sum(new long[] {2}, true, new ScalarTypeOptional());
        Tensor first = posteriors.matmul(M.mT());
        Tensor second = posteriors.matmul(squares.mT());

        Coefficients of = coefficients(M.size(2));
        Tensor g = first.mul(of.first).sub_(mass.mul(of.firstMass));
        Tensor h = second.mul(of.second).sub_(first.mul(of.secondFirst)).add_(mass.mul(of.secondMass));
        Tensor output = torch.cat(new TensorVector(g.flatten(1, 2), h.flatten(1, 2)), 1);

        Tensor maps = Scope.share(M);
        return Pass.of(output, gradient -> backward(maps, posteriors, densities, of, gradient));
    }

    private Tensor backward(
            Tensor M, Tensor posteriors, GaussianMixture.Densities densities, Coefficients of, Tensor gradient) {
        long components = weights.value().size(0);
        long half = components * M.size(1);
        Tensor dg = gradient.narrow(1, 0, half).reshape(-1, components, M.size(1));
        Tensor dh = gradient.narrow(1, half, half).reshape(-1, components, M.size(1));
        Tensor dFirst = dg.mul(of.first).sub_(dh.mul(of.secondFirst));
        Tensor dSecond = dh.mul(of.second);
        Tensor dMass =
                dh.mul(of.secondMass).sub_(dg.mul(of.firstMass)).sum(new long[] {2}, true, new ScalarTypeOptional());

        Tensor dPosteriors = dFirst.matmul(M).add_(dSecond.matmul(M.square())).add_(dMass);
        Tensor dLogarithms = Softmaxes.backward(posteriors, dPosteriors);
        Tensor linear =
                dFirst.mT().matmul(posteriors).add_(densities.linear().t().matmul(dLogarithms));
        Tensor quadratic =
                dSecond.mT().matmul(posteriors).add_(densities.quadratic().t().matmul(dLogarithms));
        return linear.addcmul_(M, quadratic, scalar(2.0));
    }

    /** The factors of Σγ, Σγx and Σγx² in g and h: [K, C] each. */
    private record Coefficients(Tensor first, Tensor firstMass, Tensor second, Tensor secondFirst, Tensor secondMass) {}

    private Coefficients coefficients(long positions) {
        Tensor mu = means.value();
        Tensor forMeans =
                weights.value().rsqrt().div_(scalar((double) positions)).unsqueeze(1);
        Tensor forVariances = forMeans.mul(scalar(Math.sqrt(0.5)));
        Tensor first = variances.value().rsqrt().mul_(forMeans);
        Tensor second = variances.value().reciprocal().mul_(forVariances);
        Tensor secondFirst = second.mul(mu).mul_(scalar(2.0));
        Tensor secondMass = second.mul(mu).mul_(mu).sub_(forVariances);
        return new Coefficients(first, first.mul(mu), second, secondFirst, secondMass);
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(weights, means, variances);
    }
}
