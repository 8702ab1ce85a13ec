package io.github.gramian.check;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.Parameter;
import io.github.gramian.layer.Phase;
import io.github.gramian.linalg.internal.Symmetric;
import io.github.gramian.tensor.Pass;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Compares a layer's backward computation with central differences of its forward computation, for the input and for every
 * parameter. Works for any {@link Layer}; in double, a correct gradient shows errors of 1e−9 or less.
 *
 * <p>The loss is ⟨G, f(x)⟩ with random G. Derivatives are compared along random directions (along all coordinates when
 * there are few), by central differences of fourth order at three step sizes, of which the best counts: one may step over
 * a kink, but an incorrect gradient fails at every step size.
 *
 * @param domain what inputs the layer takes
 * @param directions how many directions are tried for each tensor
 */
public record GradientCheck(Domain domain, int directions) {

    private static final double[] STEPS = {1e-3, 1e-4, 1e-5};

    /** An error this small needs no second step size. */
    private static final double CONVINCING = 1e-9;

    /** Gradients shorter than this are compared absolutely: of a constant function only rounding is left. */
    private static final double NEGLIGIBLE = 1e-4;

    /** Which inputs are legal for a layer. */
    public enum Domain {
        /** Any tensor. */
        ANY,
        /** Symmetric matrices: directions are symmetric, too. */
        SYMMETRIC
    }

    /**
     * The result for one tensor.
     *
     * @param tensor "input" or a parameter's name
     * @param relativeError ‖numeric − analytic‖ / ‖analytic‖ over the directions
     */
    public record Finding(String tensor, double relativeError) {}

    /** A check with 24 directions. */
    public static GradientCheck on(Domain domain) {
        return new GradientCheck(domain, 24);
    }

    /** The largest relative error over input and parameters. */
    public double worstError(Layer layer, Tensor input, Seed seed) {
        return findings(layer, input, seed).stream()
                .mapToDouble(Finding::relativeError)
                .reduce(0, (a, b) -> Double.isNaN(a) || Double.isNaN(b) ? Double.NaN : Math.max(a, b));
    }

    /** One finding for the input and one for each trainable parameter. The layer's gradients are overwritten. */
    public List<Finding> findings(Layer layer, Tensor input, Seed seed) {
        try (Scope scope = Scope.open()) {
            List<Parameter> trainable =
                    layer.parameters().stream().filter(Parameter::trainable).toList();
            trainable.forEach(Parameter::clearGradient);
            Tensor x = input.clone();
            Pass pass = layer.forward(x, Phase.inference());
            Tensor G = seed.child("weights")
                    .normal(Placement.of(x), pass.output().sizes().vec().get());
            Tensor inputGradient = pass.backward(G);
            DoubleSupplier loss = () -> loss(layer, x, G);

            List<Finding> findings = new ArrayList<>();
            findings.add(new Finding(
                    "input", relativeError(x, inputGradient, domain == Domain.SYMMETRIC, loss, seed.child("input"))));
            for (Parameter parameter : trainable) {
                findings.add(new Finding(
                        parameter.name(),
                        relativeError(
                                parameter.value(), parameter.gradient(), false, loss, seed.child(parameter.name()))));
            }
            return findings;
        }
    }

    private static double loss(Layer layer, Tensor x, Tensor G) {
        try (Scope scope = Scope.open()) {
            return layer.apply(x).mul(G).sum().item_double();
        }
    }

    private double relativeError(Tensor at, Tensor gradient, boolean symmetric, DoubleSupplier loss, Seed seed) {
        double best = Double.POSITIVE_INFINITY;
        for (double step : STEPS) {
            double error = relativeErrorWithStep(at, gradient, symmetric, loss, seed, step);
            if (Double.isNaN(error)) {
                return error;
            }
            best = Math.min(best, error);
            if (best < CONVINCING) {
                break;
            }
        }
        return best;
    }

    private double relativeErrorWithStep(
            Tensor at, Tensor gradient, boolean symmetric, DoubleSupplier loss, Seed seed, double step) {
        long coordinates = at.numel();
        long count = Math.min(coordinates, directions);
        double squaredDifference = 0;
        double squaredLength = 0;
        for (long i = 0; i < count; i++) {
            try (Scope scope = Scope.open()) {
                Tensor direction = coordinates <= directions ? coordinate(at, i) : random(at, seed.child(i));
                if (symmetric) {
                    direction = Symmetric.part(direction);
                }
                double analytic = gradient.mul(direction).sum().item_double();
                double numeric = slope(at, direction, loss, step);
                squaredDifference += (numeric - analytic) * (numeric - analytic);
                squaredLength += analytic * analytic;
            }
        }
        return Math.sqrt(squaredDifference) / Math.max(Math.sqrt(squaredLength), NEGLIGIBLE);
    }

    /** (8(L(h) − L(−h)) − (L(2h) − L(−2h))) / 12h, leaving the tensor as it was, whatever the loss does. */
    private static double slope(Tensor at, Tensor direction, DoubleSupplier loss, double h) {
        Tensor origin = at.clone();
        double[] values = new double[4];
        double[] offsets = {h, -h, 2 * h, -2 * h};
        try {
            for (int i = 0; i < offsets.length; i++) {
                at.copy_(origin.add(direction, scalar(offsets[i])));
                values[i] = loss.getAsDouble();
            }
        } finally {
            at.copy_(origin);
        }
        return (8 * (values[0] - values[1]) - (values[2] - values[3])) / (12 * h);
    }

    private static Tensor coordinate(Tensor like, long index) {
        Tensor zeros = torch.zeros(new long[] {like.numel()}, Placement.of(like).options());
        zeros.select(0, index).fill_(scalar(1.0));
        return zeros.view_as(like);
    }

    private static Tensor random(Tensor like, Seed seed) {
        Tensor normal = seed.normal(Placement.of(like), like.sizes().vec().get());
        return normal.div_(normal.norm());
    }
}
