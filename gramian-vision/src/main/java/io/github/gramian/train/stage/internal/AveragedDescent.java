package io.github.gramian.train.stage.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.layer.Parameter;
import io.github.gramian.manifold.Stiefel;
import io.github.gramian.optim.Optimizer;
import io.github.gramian.tensor.Scope;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * An optimizer, and running means of all parameters over its steps: a ← a + (1 − d)(w − a), with d = min(decay, (1 + t)/(10 +
 * t)) after step t, so that a short stage forgets its start as well. A mean of points on the Stiefel manifold leaves it: the
 * nearest point on it is taken where the mean is used. Statistics are averaged like weights: to first order, the mean of
 * descriptors' means is that of the descriptors of mean weights.
 *
 * <p>While {@link #means} is open, parameters have the mean values. With decay 0 nothing is averaged, and they do not
 * change.
 */
final class AveragedDescent implements AutoCloseable {

    private static final String PREFIX = "mean/";

    private final Optimizer optimizer;
    private final double decay;
    private final Map<Parameter, Tensor> means = new LinkedHashMap<>();

    /**
     * @param optimizer closed with it
     * @param decay of the means; 0 for none
     */
    AveragedDescent(Optimizer optimizer, List<Parameter> parameters, double decay) {
        this.optimizer = optimizer;
        this.decay = decay;
        if (decay > 0) {
            parameters.forEach(one -> means.put(one, copy(one)));
        }
    }

    private static Tensor copy(Parameter parameter) {
        try (Scope scope = Scope.open()) {
            return Scope.own(parameter.value().clone());
        }
    }

    /** Starts from the values that parameters have now. */
    void begin() {
        means.forEach((parameter, mean) -> mean.copy_(parameter.value()));
        clearGradients(); // those of an earlier stage are not of this one
    }

    /**
     * Moves the parameters.
     *
     * @param done steps before this one
     */
    void step(double rate, long done) {
        optimizer.step(rate);
        double share = 1 - Math.min(decay, (2.0 + done) / (11.0 + done));
        means.forEach((parameter, mean) -> mean.lerp_(parameter.value(), scalar(share)));
    }

    void clearGradients() {
        optimizer.clearGradients();
    }

    /** Everything that a continued run needs besides the parameters, by name. */
    Map<String, Tensor> state() {
        Map<String, Tensor> state = new HashMap<>(optimizer.state());
        means.forEach((parameter, mean) -> state.put(PREFIX + parameter.name(), mean));
        return state;
    }

    /** Takes over what {@link #state} gave earlier. */
    void restore(Map<String, Tensor> saved) {
        Map<String, Tensor> others = new HashMap<>(saved);
        means.forEach((parameter, mean) -> {
            Tensor stored = others.remove(PREFIX + parameter.name());
            if (stored == null) {
                throw new IllegalStateException("the checkpoint has no mean of " + parameter);
            }
            mean.copy_(stored);
        });
        optimizer.restore(others);
    }

    /** Gives parameters their mean values for good. */
    void keepMeans() {
        means.forEach((parameter, mean) -> {
            try (Scope scope = Scope.open()) {
                parameter.assign(parameter.manifold() instanceof Stiefel ? Stiefel.nearest(mean) : mean);
            }
        });
    }

    /** Gives parameters their mean values until it is closed. */
    Means means() {
        return new Means();
    }

    /** Keeps the values that the optimizer moves. */
    final class Means implements AutoCloseable {

        private final Map<Parameter, Tensor> moved = new LinkedHashMap<>();

        private Means() {
            means.keySet().forEach(one -> moved.put(one, copy(one)));
            keepMeans();
        }

        @Override
        public void close() {
            moved.forEach((parameter, value) -> {
                parameter.assign(value);
                Scope.disown(value);
            });
        }
    }

    @Override
    public void close() {
        means.values().forEach(Scope::disown);
        optimizer.close();
    }
}
