package io.github.gramian.manifold;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import org.bytedeco.pytorch.Tensor;

/** Euclidean space: every vector is tangent, and a step is an addition. */
public record Euclidean() implements Manifold {

    @Override
    public Tensor projection(Tensor point, Tensor vector) {
        return vector;
    }

    @Override
    public Tensor gradient(Tensor point, Tensor plainGradient) {
        return plainGradient;
    }

    @Override
    public Tensor retraction(Tensor point, Tensor tangent) {
        return point.add(tangent);
    }

    @Override
    public void move(Tensor point, Tensor tangent, double step) {
        point.add_(tangent, scalar(step));
    }

    @Override
    public Tensor inner(Tensor point, Tensor first, Tensor second) {
        return first.mul(second).sum();
    }

    @Override
    public Tensor squaredSize(Tensor point, Tensor gradient) {
        return gradient.square();
    }

    @Override
    public Tensor random(Placement placement, Seed seed, long... shape) {
        return seed.normal(placement, shape);
    }

    @Override
    public double violation(Tensor point) {
        return 0;
    }

    @Override
    public boolean allowsWeightDecay() {
        return true;
    }
}
