package io.github.gramian.optim;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Manifold;
import io.github.gramian.tensor.Scope;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * Moves parameters against their gradients, each along its own manifold. A subclass defines the {@link #direction}; the
 * rest (groups, weight decay, clips, retraction, saved state) is here.
 */
public abstract class Optimizer implements AutoCloseable {

    private final List<ParameterGroup> groups;
    private final Map<String, Tensor> state = new LinkedHashMap<>();

    /** Over groups of parameters with distinct names. */
    protected Optimizer(List<ParameterGroup> groups) {
        this.groups = List.copyOf(groups);
        long parameters =
                groups.stream().mapToLong(group -> group.parameters().size()).sum();
        long names = groups.stream()
                .flatMap(group -> group.parameters().stream())
                .map(Parameter::name)
                .distinct()
                .count();
        if (names != parameters) {
            throw new IllegalArgumentException(
                    "two parameters of the optimizer share a name; give layers distinct names");
        }
    }

    /** One step with this learning rate; gradients are left as they are. */
    public final void step(double learningRate) {
        try (Scope scope = Scope.open()) {
            beginStep();
            for (ParameterGroup group : groups) {
                for (Parameter parameter : group.parameters()) {
                    // one at a time, so that all use the same memory
                    try (Scope one = Scope.open()) {
                        move(parameter, group, learningRate * group.rateFactor());
                    }
                }
            }
        }
    }

    /** Sets the gradients of all parameters to zero. */
    public final void clearGradients() {
        groups.forEach(group -> group.parameters().forEach(Parameter::clearGradient));
    }

    /** Everything that a continued run needs besides the parameters, by name; the tensors are the optimizer's own. */
    public final Map<String, Tensor> state() {
        return Map.copyOf(state);
    }

    /** Takes over a state that {@link #state} gave earlier. */
    public final void restore(Map<String, Tensor> saved) {
        saved.forEach((name, tensor) -> stateTensor(name, tensor).copy_(tensor));
    }

    /** Called before the parameters of a step are moved. */
    protected void beginStep() {}

    /** The direction to go in, downhill being negative, given the gradient along the manifold. */
    protected abstract Tensor direction(Parameter parameter, Tensor gradient);

    /** Called after the parameter's step, to transport stored directions to the new point. */
    protected void moved(Parameter parameter) {}

    /** Transports a stored direction to the parameter's new value. */
    protected static void carry(Parameter parameter, Tensor direction) {
        Tensor carried = parameter.manifold().transport(parameter.value(), direction);
        if (!carried.is_same(direction)) {
            direction.copy_(carried);
        }
    }

    private void move(Parameter parameter, ParameterGroup group, double rate) {
        Manifold manifold = parameter.manifold();
        Tensor point = parameter.value();
        Tensor euclidean = parameter.gradient();
        if (group.weightDecay() > 0 && manifold.allowsWeightDecay()) {
            euclidean = euclidean.add(point, scalar(group.weightDecay()));
        }
        Tensor gradient = clipped(manifold.gradient(point, euclidean), point, manifold, group.clip());
        manifold.move(point, direction(parameter, gradient), -rate);
        moved(parameter);
    }

    /** Shortened to the clip where it is longer; decided on the device, without reading a number back. */
    private static Tensor clipped(Tensor gradient, Tensor point, Manifold manifold, double clip) {
        if (clip == Double.POSITIVE_INFINITY) {
            return gradient;
        }
        Tensor length = manifold.inner(point, gradient, gradient).sqrt_();
        return gradient.mul(length.reciprocal_().mul_(scalar(clip)).clamp_max_(scalar(1.0)));
    }

    /** A tensor of the state, shaped like an example and zero at first. */
    protected final Tensor stateTensor(String name, Tensor example) {
        Tensor existing = state.get(name);
        if (existing == null) {
            existing = Scope.own(torch.zeros_like(example));
            state.put(name, existing);
        }
        return existing;
    }

    @Override
    public final void close() {
        state.values().forEach(Scope::disown);
        state.clear();
    }
}
