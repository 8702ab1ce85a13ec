package io.github.gramian.optim;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import java.util.List;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Adam on manifolds: m ← β₁m + (1−β₁)∇, s ← β₂s + (1−β₂)|∇|², and the step goes along −m̂/(√ŝ + ε), where the hats undo
 * the start at zero. |∇|² is taken entry by entry in Euclidean space and as one number on the Stiefel manifold (see {@link
 * io.github.gramian.manifold.Manifold#squaredSize}), so that the direction remains tangent.
 */
public final class RiemannianAdam extends Optimizer {

    private final double beta1;
    private final double beta2;
    private final double epsilon;

    /** Over groups of parameters, with the default β₁ = 0.9, β₂ = 0.999, ε = 1e−8. */
    public RiemannianAdam(List<ParameterGroup> groups) {
        this(groups, 0.9, 0.999, 1e-8);
    }

    /** Over groups of parameters. */
    public RiemannianAdam(List<ParameterGroup> groups, double beta1, double beta2, double epsilon) {
        super(groups);
        if (!(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1 && epsilon > 0)) {
            throw new IllegalArgumentException("Adam needs beta1 and beta2 in [0, 1) and a positive epsilon, but got "
                    + beta1 + ", " + beta2 + ", " + epsilon);
        }
        this.beta1 = beta1;
        this.beta2 = beta2;
        this.epsilon = epsilon;
    }

    @Override
    protected void beginStep() {
        steps().add_(scalar(1.0));
    }

    @Override
    protected Tensor direction(Parameter parameter, Tensor gradient) {
        Tensor size = parameter.manifold().squaredSize(parameter.value(), gradient);
        Tensor m = mean(parameter).mul_(scalar(beta1)).add_(gradient, scalar(1 - beta1));
        Tensor s = stateTensor(parameter.name() + ".size", size)
                .mul_(scalar(beta2))
                .add_(size, scalar(1 - beta2));
        double step = steps().item_double();
        Tensor scale = s.div(scalar(1 - Math.pow(beta2, step))).sqrt_().add_(scalar(epsilon));
        return m.div(scale).div_(scalar(1 - Math.pow(beta1, step)));
    }

    @Override
    protected void moved(Parameter parameter) {
        carry(parameter, mean(parameter));
    }

    private Tensor mean(Parameter parameter) {
        return stateTensor(parameter.name() + ".mean", parameter.value());
    }

    /** How many steps were taken; always on the CPU, so that reading it stalls no device. */
    private Tensor steps() {
        return stateTensor("steps", torch.zeros(1));
    }
}
