package io.github.gramian.layer.aggregator;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.linalg.internal.KMeans;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * The encoding layer of Deep-TEN (Zhang et al.): residuals to learned codewords with soft assignment,
 *
 * <pre>
 * aₖᵢ = softmaxₖ(−sₖ‖xᵢ − cₖ‖²),   eₖ = Σᵢ aₖᵢ (xᵢ − cₖ)
 * </pre>
 *
 * M: [batch, C, N]; output: e₁, …, e_K, [batch, K·C]. Codewords cₖ and smoothing factors sₖ are learned; all gradients are
 * exact. The logarithm of sₖ is learned: sₖ remains positive, and a step means the same whatever the scale of
 * features.
 *
 * <p>The start is k-means, with sₖ = C/(2·E‖x − cₖ‖²) over a codeword's vectors: the posteriors of round normal
 * distributions.
 */
public final class DeepTen implements DataDependentInit {

    private final Parameter codewords;
    private final Parameter smoothing;

    /** With given codewords [K, C] and logarithms of the smoothing factors [K], which it takes over. */
    public DeepTen(String name, Tensor codewords, Tensor logSmoothing) {
        this.codewords = Parameter.of(name + ".codewords", Parameter.Role.CODEBOOK, codewords);
        this.smoothing = Parameter.of(name + ".logSmoothing", Parameter.Role.CODEBOOK, logSmoothing);
    }

    /** With codewords drawn at random, to be fitted. */
    public static DeepTen unfitted(String name, long codewords, long channels, Placement placement, Seed seed) {
        return new DeepTen(
                name,
                seed.normal(placement, codewords, channels),
                torch.zeros(new long[] {codewords}, placement.options()));
    }

    @Override
    public int minVectors() {
        return (int) codewords.value().size(0);
    }

    @Override
    public void fit(Tensor sample, Seed seed) {
        KMeans.Clusters clusters = KMeans.of((int) codewords.value().size(0)).fit(sample, seed);
        codewords.assign(clusters.centres());
        // A codeword of very few vectors, or of equal ones, has no spread that could be measured.
        Tensor spread = clusters.variances().mean(1);
        Tensor floor = spread.mul(clusters.shares()).sum().mul(scalar(0.1)).clamp_min(scalar(1e-12));
        smoothing.assign(
                torch.maximum(spread, floor).mul(scalar(2.0)).reciprocal().log());
    }

    @Override
    public Pass forward(Tensor M, Phase phase) {
        Tensor words = codewords.value();
        Tensor s = smoothing.value().exp().unsqueeze(1);
        Tensor distances = KMeans.squaredDistances(M, words);
        Tensor shares = distances.mul(s).neg_().softmax(1);
        Tensor mass = shares.sum(new long[] {2}, true, new ScalarTypeOptional());
        Tensor residuals = shares.matmul(M.mT()).sub_(mass.mul(words));

        Tensor maps = Scope.share(M);
        return Pass.of(residuals.flatten(1, 2), gradient -> backward(maps, distances, s, shares, mass, gradient));
    }

    private Tensor backward(Tensor M, Tensor distances, Tensor s, Tensor shares, Tensor mass, Tensor gradient) {
        Tensor words = codewords.value();
        Tensor dResiduals = gradient.reshape(-1, words.size(0), words.size(1));
        Tensor dShares =
                dResiduals.matmul(M).sub_(dResiduals.mul(words).sum(new long[] {2}, true, new ScalarTypeOptional()));
        Tensor dDistances = Softmaxes.backward(shares, dShares).mul_(s).neg_();

        Tensor overPositions = dDistances.sum(new long[] {2}, true, new ScalarTypeOptional());
        Tensor dWords = overPositions
                .mul(words)
                .sub_(dDistances.matmul(M.mT()))
                .mul_(scalar(2.0))
                .sub_(dResiduals.mul(mass));
        codewords.accumulate(dWords.sum(0));
        smoothing.accumulate(dDistances.mul(distances).sum(0, 2)); // ∂(sD)/∂log s = sD, and s is in dDistances already

        Tensor overWords = dDistances.sum(new long[] {1}, true, new ScalarTypeOptional());
        Tensor throughDistances = M.mul(overWords).sub_(words.t().matmul(dDistances));
        return dResiduals.mT().matmul(shares).add_(throughDistances, scalar(2.0));
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(codewords, smoothing);
    }
}
