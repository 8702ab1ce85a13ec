package io.github.gramian.optim;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Euclidean;
import io.github.gramian.tensor.Scope;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Stochastic gradient descent on manifolds: v ← µv + ∇, W ← R(W, −λv), and v is carried along to the new W by projection.
 * Without momentum it is the paper's update (eq. backwardmaniflodmappingwretracting).
 */
public final class RiemannianSgd extends Optimizer {

    /** Elements that are moved at once: the three arrays of a piece fit into a core's second-level cache. */
    private static final long PIECE = 1 << 16;

    private final double momentum;
    private final Workspace workspace = new Workspace();

    /** Over groups of parameters, with momentum µ in [0, 1). */
    public RiemannianSgd(List<ParameterGroup> groups, double momentum) {
        super(groups);
        if (!(momentum >= 0 && momentum < 1)) {
            throw new IllegalArgumentException("momentum must lie in [0, 1) but is " + momentum);
        }
        this.momentum = momentum;
    }

    /**
     * Where every element is on its own, in plain space, a large parameter is moved piece by piece and in place: a piece stays in the
     * cache from the first operation to the last, so that gradient, velocity and value are read once instead of six times. The
     * operations and their order are the same, and so is every bit.
     */
    @Override
    void move(Parameter parameter, ParameterGroup group, double rate) {
        if (momentum == 0
                || !(parameter.manifold() instanceof Euclidean)
                || parameter.value().numel() <= PIECE) {
            super.move(parameter, group, rate);
            return;
        }
        Tensor value = parameter.value().flatten();
        Tensor velocity = velocity(parameter).flatten();
        Tensor gradient = parameter.gradient().flatten();
        double decay = group.weightDecay();
        Tensor factor = null;
        if (group.clip() != Double.POSITIVE_INFINITY) {
            if (decay > 0) {
                gradient = torch.add_out(workspace.first(gradient), gradient, value, scalar(decay));
                decay = 0;
            }
            factor = factor(torch.mul_out(workspace.second(gradient), gradient, gradient).sum(), group.clip());
        }
        for (long start = 0; start < value.numel(); start += PIECE) {
            try (Scope scope = Scope.open()) {
                long length = Math.min(PIECE, value.numel() - start);
                Tensor point = value.narrow(0, start, length);
                Tensor piece = gradient.narrow(0, start, length);
                if (decay > 0) {
                    piece = torch.add_out(workspace.second(piece), piece, point, scalar(decay));
                }
                if (factor != null) {
                    piece = torch.mul_out(workspace.second(piece), piece, factor);
                }
                Tensor direction = velocity.narrow(0, start, length);
                point.add_(direction.mul_(scalar(momentum)).add_(piece), scalar(-rate));
            }
        }
    }

    @Override
    Tensor direction(Parameter parameter, Tensor gradient) {
        if (momentum == 0) {
            return gradient;
        }
        return velocity(parameter).mul_(scalar(momentum)).add_(gradient);
    }

    @Override
    void moved(Parameter parameter) {
        if (momentum != 0) {
            carry(parameter, velocity(parameter));
        }
    }

    private Tensor velocity(Parameter parameter) {
        return stateTensor(parameter.name() + ".velocity", parameter.value());
    }

    @Override
    public void close() {
        super.close();
        workspace.close();
    }
}
