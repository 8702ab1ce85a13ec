package io.github.gramian.check;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Phase;
import io.github.gramian.manifold.Manifold;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.function.DoubleUnaryOperator;
import org.bytedeco.pytorch.Tensor;

/**
 * Whether an approximation is of first order, seen from the slope of its error: halving the step must quarter the error.
 *
 * <p>Of a gradient the error is |L(x + td) − L(x) − t⟨∂L/∂x, d⟩|; of a retraction it is ‖R(x, tξ) − (x + tξ)‖. On
 * logarithmic axes a correct one is a line of slope 2, an incorrect one of slope 1. Call it on your own layer or manifold,
 * in double.
 *
 * @param slope of the error over the step, fitted; about 2 when correct
 * @param largestError over all steps; at rounding level there is no slope to see
 */
public record SlopeTest(double slope, double largestError) {

    private static final double ROUNDING = 1e-13;
    private static final int STEPS = 12;
    private static final double FIRST_STEP = 1e-2;
    private static final double RATIO = 0.7;

    /** Whether the approximation is of first order at least. */
    public boolean passes() {
        return largestError < ROUNDING || slope > 1.9;
    }

    /** The gradient of a layer with respect to its input, along a random direction for a random linear loss. */
    public static SlopeTest ofGradient(Layer layer, Tensor input, Seed seed) {
        try (Scope scope = Scope.open()) {
            Placement placement = Placement.of(input);
            Pass pass = layer.forward(input, Phase.inference());
            Tensor y = pass.output();
            Tensor G = seed.child("weights").normal(placement, y.sizes().vec().get());
            Tensor d = seed.child("direction")
                    .normal(placement, input.sizes().vec().get());
            double slope = pass.backward(G).mul(d).sum().item_double();
            return fit(t -> {
                Tensor moved = layer.apply(input.add(d, scalar(t)));
                double change = moved.sub(y).mul_(G).sum().item_double();
                return Math.abs(change - t * slope);
            });
        }
    }

    /** A retraction at a point along a random tangent vector of unit length. */
    public static SlopeTest ofRetraction(Manifold manifold, Tensor point, Seed seed) {
        try (Scope scope = Scope.open()) {
            Tensor vector = seed.child("direction")
                    .normal(Placement.of(point), point.sizes().vec().get());
            Tensor tangent = manifold.projection(point, vector);
            Tensor unit = tangent.div(tangent.norm().clamp_min_(scalar(ROUNDING)));
            return fit(t -> {
                Tensor straight = point.add(unit, scalar(t));
                Tensor curved = manifold.retraction(point, unit.mul(scalar(t)));
                return curved.sub(straight).norm().item_double();
            });
        }
    }

    /** Least squares of ln error over ln step. */
    private static SlopeTest fit(DoubleUnaryOperator errorAt) {
        double sumX = 0;
        double sumY = 0;
        double sumXX = 0;
        double sumXY = 0;
        double largest = 0;
        for (int i = 0; i < STEPS; i++) {
            double t = FIRST_STEP * Math.pow(RATIO, i);
            double error;
            try (Scope scope = Scope.open()) {
                error = errorAt.applyAsDouble(t);
            }
            largest = Math.max(largest, error);
            double x = Math.log(t);
            double y = Math.log(Math.max(error, Double.MIN_NORMAL));
            sumX += x;
            sumY += y;
            sumXX += x * x;
            sumXY += x * y;
        }
        double slope = (STEPS * sumXY - sumX * sumY) / (STEPS * sumXX - sumX * sumX);
        return new SlopeTest(slope, largest);
    }
}
