package io.github.gramian.manifold;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;

/**
 * A smooth manifold in a space of tensors, with the operations that an optimizer needs. Points, tangent vectors and gradients
 * are tensors of one shape.
 */
public interface Manifold {

    /** The tangent vector at the point that is nearest to an arbitrary vector. */
    Tensor projection(Tensor point, Tensor vector);

    /** The gradient along the manifold, in its metric, for the Euclidean gradient of the surrounding space. */
    Tensor gradient(Tensor point, Tensor plainGradient);

    /** A point of the manifold that agrees with point + tangent to first order in the tangent vector. */
    Tensor retraction(Tensor point, Tensor tangent);

    /** Moves a point by a step along a tangent vector, in place. */
    default void move(Tensor point, Tensor tangent, double step) {
        point.copy_(retraction(point, tangent.mul(scalar(step))));
    }

    /** A tangent vector of another point, transported to this one by projection. */
    default Tensor transport(Tensor point, Tensor tangentElsewhere) {
        return projection(point, tangentElsewhere);
    }

    /** The inner product of two tangent vectors at a point, in the manifold's metric: a tensor with one number. */
    Tensor inner(Tensor point, Tensor first, Tensor second);

    /**
     * What an adaptive optimizer averages as the squared size of a gradient. Its shape broadcasts with the point's: one
     * number for each coordinate where coordinates mean something by themselves, one number for all where they do not.
     */
    Tensor squaredSize(Tensor point, Tensor gradient);

    /** A random point. */
    Tensor random(Placement placement, Seed seed, long... shape);

    /**
     * How far a point is off the manifold: 0 when it lies on it. Reads a value back from the device, so do not call it in
     * every step.
     */
    double violation(Tensor point);

    /** Whether weight decay makes sense here: not where it would pull a point off the manifold. */
    boolean allowsWeightDecay();
}
