package io.github.gramian.manifold;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.linalg.internal.Symmetric;
import org.bytedeco.pytorch.Tensor;

/** How lengths and angles of tangent vectors of the Stiefel manifold are measured. W, G, ξ, η: [n, p]. */
public enum Metric {

    /**
     * ⟨ξ, η⟩ = tr ξᵀ(I − ½WWᵀ)η, with gradient G − W Gᵀ W (eq. backwardmaniflodmappingwmanifold). The paper uses it.
     */
    CANONICAL {
        @Override
        Tensor gradient(Tensor W, Tensor G) {
            return G.sub(W.matmul(G.t().matmul(W)));
        }

        @Override
        Tensor inner(Tensor W, Tensor xi, Tensor eta) {
            Tensor whole = xi.mul(eta).sum();
            Tensor along = W.t().matmul(xi).mul_(W.t().matmul(eta)).sum();
            return whole.sub_(along.mul_(scalar(0.5)));
        }
    },

    /** ⟨ξ, η⟩ = tr ξᵀη, with gradient G − W sym(WᵀG): the perpendicular projection. */
    EUCLIDEAN {
        @Override
        Tensor gradient(Tensor W, Tensor G) {
            return perpendicularProjection(W, G);
        }

        @Override
        Tensor inner(Tensor W, Tensor xi, Tensor eta) {
            return xi.mul(eta).sum();
        }
    };

    abstract Tensor gradient(Tensor W, Tensor G);

    abstract Tensor inner(Tensor W, Tensor xi, Tensor eta);

    /** V − W sym(WᵀV): the tangent vector at W that is nearest to V. */
    static Tensor perpendicularProjection(Tensor W, Tensor V) {
        return V.sub(W.matmul(Symmetric.part(W.t().matmul(V))));
    }
}
