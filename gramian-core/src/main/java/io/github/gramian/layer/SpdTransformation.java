package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.SymmetricProduct;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Y = WᵀKW with WᵀW = I (eq. forwardmaniflodmapping). K: [batch, n, n]; W: [n, m], m ≤ n; Y: [batch, m, m].
 *
 * <p>Orthonormal columns keep Y positive definite where K is. With S = sym(∂L/∂Y) the way back is ∂L/∂K = W S Wᵀ (eq.
 * backwardmaniflodmappingk) and ∂L/∂W = 2 K W S, summed over the batch (eq. backwardmaniflodmappingweuclidean for a
 * symmetric K). Both share the product W S, and stacking the images turns all products but two into single large ones.
 */
public final class SpdTransformation implements Layer {

    private final Parameter weight;

    /** With a given W, which it takes over; a W that is not on the manifold is refused. */
    public SpdTransformation(String name, Tensor W, Stiefel manifold) {
        double violation = manifold.violation(W);
        if (!(violation < 1e-3)) {
            throw new IllegalArgumentException(name + ": the columns of W must be orthonormal, but |WᵀW − I| reaches "
                    + violation + "; take the Q of its QR decomposition");
        }
        this.weight = Parameter.of(name + ".W", W, manifold);
    }

    /** A random W: [inputDim, outputDim]. */
    public static SpdTransformation random(
            String name, long inputDim, long outputDim, Stiefel manifold, Placement placement, Seed seed) {
        if (outputDim < 1 || outputDim > inputDim) {
            throw new IllegalArgumentException(name + ".outputDim must lie in 1.." + inputDim + " but is " + outputDim
                    + "; lower it in the recipe");
        }
        return new SpdTransformation(name, manifold.random(placement, seed, inputDim, outputDim), manifold);
    }

    @Override
    public Pass forward(Tensor K, Phase phase) {
        Tensor W = weight.value();
        Tensor kept = Scope.share(K);
        Pass pass = Pass.of(transformed(K, W), S -> {
            try (Tensor WS = torch.bmm(overBatch(W, kept), S)) {
                weight.gradient().addmm_(stacked(kept).t(), stacked(WS), scalar(1.0), scalar(2.0));
                return SymmetricProduct.of(WS, overBatch(W.t(), kept));
            }
        });
        return pass.wantingSymmetric().givingSymmetric();
    }

    private static Tensor transformed(Tensor K, Tensor W) {
        try (Tensor KW = stacked(K).mm(W)) {
            return SymmetricProduct.of(overBatch(W.t(), K), KW.view(K.size(0), K.size(1), -1));
        }
    }

    /** [batch, n, m] → [batch·n, m]: the images one below the other. */
    private static Tensor stacked(Tensor matrices) {
        return matrices.reshape(-1, matrices.size(2));
    }

    /** One matrix for every image of the batch, without a copy. */
    private static Tensor overBatch(Tensor matrix, Tensor batch) {
        return matrix.unsqueeze(0).expand(batch.size(0), -1, -1);
    }

    @Override
    public boolean treatsImagesApart() {
        return true;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(weight);
    }
}
