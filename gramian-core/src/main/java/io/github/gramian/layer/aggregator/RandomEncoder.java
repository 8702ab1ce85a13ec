package io.github.gramian.layer.aggregator;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * An image as the decoder of random auto-encoders of the image's positions, after RADAM (Scabini et al.). With Z = (M − m)/d, m
 * the mean vector and d the mean deviation of training features, and for each of E encoders a fixed random matrix Wₑ,
 *
 * <pre>
 * Hₑ = sigmoid(Wₑ Z),   βₑ = Z Hₑᵀ (Hₑ Hₑᵀ + λI)⁻¹,   output Σₑ βₑ
 * </pre>
 *
 * M: [batch, C, N]; W: [E, q, C], rows orthonormal (columns where q &gt; C); βₑ: [C, q] solves the ridge regression of Z on
 * its hidden units; output: [batch, C·q]. Nothing is learned; the gradient for M is exact. It differs from RADAM in where
 * features come from (one branch, one layer) and in how they are scaled.
 */
public final class RandomEncoder implements DataDependentInit {

    private final Parameter encoders;
    private final Parameter mean;
    private final Parameter deviation;
    private final double ridge;

    /** With given matrices W: [E, q, C], which it takes over. */
    public RandomEncoder(String name, Tensor encoders, double ridge) {
        if (!(ridge > 0 && ridge < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("ridge must be positive but is " + ridge);
        }
        Placement placement = Placement.of(encoders);
        this.encoders = Parameter.statistic(name + ".W", encoders);
        this.mean =
                Parameter.statistic(name + ".mean", torch.zeros(new long[] {encoders.size(2)}, placement.options()));
        this.deviation = Parameter.statistic(name + ".deviation", torch.ones(new long[] {1}, placement.options()));
        this.ridge = ridge;
    }

    /**
     * With random matrices.
     *
     * @param shape of W: [E, q, C]
     */
    public static RandomEncoder random(String name, long[] shape, double ridge, Placement placement, Seed seed) {
        TensorVector all = new TensorVector();
        for (int e = 0; e < shape[0]; e++) {
            all.push_back(orthonormal(seed.child(e), shape[1], shape[2], placement));
        }
        return new RandomEncoder(name, torch.stack(all, 0), ridge);
    }

    private static Tensor orthonormal(Seed seed, long rows, long columns, Placement placement) {
        Tensor Q = Stiefel.paper().random(placement, seed, Math.max(rows, columns), Math.min(rows, columns));
        return rows < columns ? Q.t().contiguous() : Q;
    }

    /** Takes mean and scale from the sample; the matrices do not change. */
    @Override
    public void fit(Tensor sample, Seed seed) {
        Tensor centre = sample.mean(0);
        mean.assign(centre);
        deviation.assign(sample.sub(centre)
                .square()
                .mean()
                .sqrt()
                .clamp_min(scalar(1e-12))
                .reshape(1));
    }

    @Override
    public Pass forward(Tensor M, Phase phase) {
        Tensor scale = deviation.value();
        long count = encoders.value().size(0);
        long hidden = encoders.value().size(1);
        Tensor W = encoders.value().flatten(0, 1); // all encoders in one product
        Tensor Z = M.sub(mean.value().unsqueeze(1)).div(scale);
        Tensor H = W.matmul(Z).sigmoid(); // [batch, E·q, N]
        Tensor apart = H.unflatten(1, new long[] {count, hidden}); // [batch, E, q, N]
        Tensor identity = torch.eye(hidden, Placement.of(M).options());
        Tensor factor = torch.linalg_cholesky(apart.matmul(apart.mT()).add(identity, scalar(ridge)));
        Tensor products = H.matmul(Z.mT()).unflatten(1, new long[] {count, hidden});
        Tensor decoders = torch.cholesky_solve(products, factor); // B = βᵀ: [batch, E, q, C]
        Tensor output = decoders.sum(1).mT().flatten(1, 2);
        return Pass.of(output, gradient -> {
            Tensor dDecoders = gradient.reshape(-1, W.size(1), hidden).mT().unsqueeze(1);
            // B = (HHᵀ + λI)⁻¹HZᵀ: with S = (HHᵀ + λI)⁻¹dB, d(HZᵀ) = S and d(HHᵀ) = −S Bᵀ.
            Tensor S = torch.cholesky_solve(dDecoders.expand_as(decoders).contiguous(), factor);
            Tensor cross = S.matmul(decoders.mT());
            Tensor flat = S.flatten(1, 2);
            Tensor dH = flat.matmul(Z).sub(cross.add(cross.mT()).matmul(apart).flatten(1, 2));
            Tensor dU = dH.mul(H).mul(H.neg().add(scalar(1.0)));
            return flat.mT().matmul(H).add(W.t().matmul(dU)).div(scale);
        });
    }

    @Override
    public boolean isPerSample() {
        return true;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(encoders, mean, deviation);
    }
}
