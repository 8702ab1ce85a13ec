package io.github.gramian.optim;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import java.util.List;
import org.bytedeco.pytorch.Tensor;

/**
 * Stochastic gradient descent on manifolds: v ← µv + ∇, W ← R(W, −λv), and v is carried along to the new W by projection.
 * Without momentum it is the paper's update (eq. backwardmaniflodmappingwretracting).
 */
public final class RiemannianSgd extends Optimizer {

    private final double momentum;

    /** Over groups of parameters, with momentum µ in [0, 1). */
    public RiemannianSgd(List<ParameterGroup> groups, double momentum) {
        super(groups);
        if (!(momentum >= 0 && momentum < 1)) {
            throw new IllegalArgumentException("momentum must lie in [0, 1) but is " + momentum);
        }
        this.momentum = momentum;
    }

    @Override
    protected Tensor direction(Parameter parameter, Tensor gradient) {
        if (momentum == 0) {
            return gradient;
        }
        return velocity(parameter).mul_(scalar(momentum)).add_(gradient);
    }

    @Override
    protected void moved(Parameter parameter) {
        if (momentum != 0) {
            carry(parameter, velocity(parameter));
        }
    }

    private Tensor velocity(Parameter parameter) {
        return stateTensor(parameter.name() + ".velocity", parameter.value());
    }
}
