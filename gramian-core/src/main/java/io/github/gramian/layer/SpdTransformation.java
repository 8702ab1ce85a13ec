package io.github.gramian.layer;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.internal.Operands;
import io.github.gramian.linalg.internal.BatchProduct;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Y = WᵀKW with WᵀW = I (eq. forwardmaniflodmapping). K: [batch, n, n]; W: [n, m], m ≤ n; Y: [batch, m, m].
 *
 * <p>Orthonormal columns keep Y positive definite where K is. With S = sym(∂L/∂Y) the backward pass is ∂L/∂K = W S Wᵀ (eq.
 * backwardmaniflodmappingk) and ∂L/∂W = 2 K W S, summed over the batch (eq. backwardmaniflodmappingweuclidean for a
 * symmetric K). Both share the product W S, and stacking the images turns all products but two into single large ones.
 */
public final class SpdTransformation implements Layer {

    private final Parameter weight;
    private final ProductPrecision products;

    /** With a given W, which it takes over, and exact products; a W that is not on the manifold is refused. */
    public SpdTransformation(String name, Tensor W, Stiefel manifold) {
        double violation = manifold.violation(W);
        if (!(violation < 1e-3)) {
            throw new IllegalArgumentException(name + ": the columns of W must be orthonormal, but |WᵀW − I| reaches "
                    + violation + "; use the Q of its QR decomposition");
        }
        this.weight = Parameter.of(name + ".W", Parameter.Role.TRANSFORM, W, manifold);
        this.products = ProductPrecision.EXACT;
    }

    private SpdTransformation(Parameter weight, ProductPrecision products) {
        this.weight = weight;
        this.products = products;
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

    /** The same W with products of another precision. */
    public SpdTransformation with(ProductPrecision others) {
        return new SpdTransformation(weight, others);
    }

    @Override
    public Pass forward(Tensor K, Phase phase) {
        Tensor W = Operands.operand(products, weight.value());
        Tensor input = Operands.operand(products, K);
        Tensor Y = Operands.result(products, transformed(input, W), K);
        Pass pass = Pass.of(Y, S -> {
            try (Tensor operand = Operands.operand(products, S);
                    Tensor WS = BatchProduct.plain(overBatch(W, input), operand)) {
                addWeightGradient(input, WS);
                return Operands.result(products, BatchProduct.symmetric(WS, overBatch(W.t(), input)), S);
            }
        });
        return pass.wantingSymmetric().givingSymmetric();
    }

    private static Tensor transformed(Tensor K, Tensor W) {
        try (Tensor KW = stacked(K).mm(W)) {
            return BatchProduct.symmetric(overBatch(W.t(), K), KW.view(K.size(0), K.size(1), -1));
        }
    }

    private void addWeightGradient(Tensor K, Tensor WS) {
        Tensor gradient = weight.gradient();
        if (products == ProductPrecision.EXACT) {
            gradient.addmm_(stacked(K).t(), stacked(WS), scalar(1.0), scalar(2.0));
        } else {
            try (Tensor share = stacked(K).t().mm(stacked(WS))) {
                gradient.add_(share, scalar(2.0));
            }
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
    public boolean isPerSample() {
        return true;
    }

    /** W. */
    public Parameter weight() {
        return weight;
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(weight);
    }
}
