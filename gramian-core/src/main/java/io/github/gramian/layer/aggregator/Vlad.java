package io.github.gramian.layer.aggregator;

import io.github.gramian.layer.L2Normalisation;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.linalg.internal.KMeans;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.ScalarTypeOptional;
import org.bytedeco.pytorch.Tensor;

/**
 * The vector of locally aggregated descriptors (Jégou et al.): rₖ = Σ (xᵢ − cₖ) over the positions i whose nearest centre is
 * cₖ. M: [batch, C, N]; centres: [K, C]; output: r₁, …, r_K, [batch, K·C].
 *
 * <p>With intra-normalisation (Arandjelović and Zisserman) each rₖ gets unit length, so that a texture element that repeats
 * many times does not drown the others; an rₖ of zeros remains zero. The gradient for M takes the assignment for given, which
 * it is almost everywhere. Centres come from k-means and are not learned by descent.
 */
public final class Vlad implements DataDependentInit {

    private final Parameter centres;
    private final boolean intraNormalisation;

    /** With given centres [K, C], which it takes over. */
    public Vlad(String name, Tensor centres, boolean intraNormalisation) {
        this.centres = Parameter.statistic(name + ".centres", centres);
        this.intraNormalisation = intraNormalisation;
    }

    /** With centres drawn at random, to be fitted. */
    public static Vlad unfitted(
            String name, long centres, long channels, boolean intraNormalisation, Placement placement, Seed seed) {
        return new Vlad(name, seed.normal(placement, centres, channels), intraNormalisation);
    }

    @Override
    public int minVectors() {
        return (int) centres.value().size(0);
    }

    @Override
    public void fit(Tensor sample, Seed seed) {
        centres.assign(
                KMeans.of((int) centres.value().size(0)).fit(sample, seed).centres());
    }

    @Override
    public Pass forward(Tensor M, Phase phase) {
        Tensor words = centres.value();
        Tensor assigned = KMeans.nearest(KMeans.squaredDistances(M, words));
        Tensor counts = assigned.sum(new long[] {2}, true, new ScalarTypeOptional());
        Tensor sums = assigned.matmul(M.mT()).sub_(counts.mul(words));
        Pass residuals = Pass.of(sums, dSums -> dSums.mT().matmul(assigned));
        return residuals.then(intraNormalisation ? unitRows(sums, phase) : flat(sums));
    }

    /** [batch, K, C] → [batch, K·C]. */
    private static Pass flat(Tensor residuals) {
        long[] shape = residuals.sizes().vec().get();
        return Pass.of(residuals.flatten(1, 2), gradient -> gradient.reshape(shape));
    }

    /** The same with each of the K rows of an image divided by its length. */
    private static Pass unitRows(Tensor residuals, Phase phase) {
        long[] shape = residuals.sizes().vec().get();
        try (Tensor rows = residuals.flatten(0, 1)) {
            Pass units = new L2Normalisation().forward(rows, phase);
            return Pass.of(
                    units.output().reshape(shape[0], -1),
                    gradient -> units.backward(gradient.reshape(-1, shape[2])).reshape(shape));
        }
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(centres);
    }
}
