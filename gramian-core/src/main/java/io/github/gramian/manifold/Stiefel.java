package io.github.gramian.manifold;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.Arrays;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Matrices W: [n, p], n ≥ p, with orthonormal columns, WᵀW = I. ξ is tangent at W when Wᵀξ is skew.
 *
 * @param metric lengths of tangent vectors, and with them the gradient
 * @param retraction maps a point back onto the manifold after a step
 */
public record Stiefel(Metric metric, Retraction retraction) implements Manifold {

    /** The paper's choice: canonical metric, QR. */
    public static Stiefel paper() {
        return new Stiefel(Metric.CANONICAL, Retraction.QR);
    }

    @Override
    public Tensor projection(Tensor W, Tensor vector) {
        return Metric.perpendicularProjection(W, vector);
    }

    @Override
    public Tensor gradient(Tensor W, Tensor plainGradient) {
        return metric.gradient(W, plainGradient);
    }

    @Override
    public Tensor retraction(Tensor W, Tensor tangent) {
        return retraction.apply(W, tangent);
    }

    @Override
    public Tensor inner(Tensor W, Tensor first, Tensor second) {
        return metric.inner(W, first, second);
    }

    /** One number for the whole matrix: scaling single entries would leave the tangent space. */
    @Override
    public Tensor squaredSize(Tensor W, Tensor gradient) {
        return metric.inner(W, gradient, gradient);
    }

    /** Uniformly distributed: the signed Q of a matrix of normal random values. */
    @Override
    public Tensor random(Placement placement, Seed seed, long... shape) {
        if (shape.length != 2 || shape[1] < 1 || shape[1] > shape[0]) {
            throw new IllegalArgumentException(
                    "a Stiefel matrix has a shape [n, p] with 1 <= p <= n, but got " + Arrays.toString(shape));
        }
        Tensor normal = seed.normal(placement, shape);
        return Retraction.QR.apply(torch.zeros_like(normal), normal);
    }

    /** The point of the manifold that is nearest to a matrix A: [n, p] of full rank, its polar factor A(AᵀA)^−½. */
    public static Tensor nearest(Tensor A) {
        return Retraction.POLAR.apply(torch.zeros_like(A), A);
    }

    /** max |WᵀW − I|. */
    @Override
    public double violation(Tensor W) {
        Tensor gram = W.t().matmul(W);
        gram.diagonal().sub_(scalar(1.0));
        return gram.abs_().max().item_double();
    }

    @Override
    public boolean allowsWeightDecay() {
        return false;
    }
}
