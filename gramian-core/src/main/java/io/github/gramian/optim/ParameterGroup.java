package io.github.gramian.optim;

import io.github.gramian.layer.Parameter;
import java.util.List;

/**
 * Parameters that an optimizer moves with the same settings. W on the Stiefel manifold needs a smaller rate and its own clip: with the rate
 * of the classifier it diverges.
 *
 * @param parameters the trainable ones; statistics are left out
 * @param rateFactor times the learning rate of the optimizer
 * @param clip the largest length, in the metric of its manifold, of the gradient of each parameter; infinity for none
 * @param weightDecay times the value is added to the gradient, where the manifold allows it
 */
public record ParameterGroup(List<Parameter> parameters, double rateFactor, double clip, double weightDecay) {

    public ParameterGroup {
        if (!(rateFactor >= 0 && rateFactor < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the rate factor must be at least 0 but is " + rateFactor);
        }
        if (!(clip > 0)) {
            throw new IllegalArgumentException("the gradient clip must be positive (infinity for none) but is " + clip);
        }
        if (!(weightDecay >= 0 && weightDecay < 1)) {
            throw new IllegalArgumentException("weight decay must lie in [0, 1) but is " + weightDecay);
        }
        parameters = parameters.stream().filter(Parameter::trainable).toList();
    }

    /** The plain rate, no clip, no decay. */
    public static ParameterGroup of(List<Parameter> parameters) {
        return new ParameterGroup(parameters, 1, Double.POSITIVE_INFINITY, 0);
    }

    /** The same with another rate factor. */
    public ParameterGroup withRateFactor(double factor) {
        return new ParameterGroup(parameters, factor, clip, weightDecay);
    }

    /** The same with another clip. */
    public ParameterGroup withClip(double length) {
        return new ParameterGroup(parameters, rateFactor, length, weightDecay);
    }

    /** The same with another weight decay. */
    public ParameterGroup withWeightDecay(double decay) {
        return new ParameterGroup(parameters, rateFactor, clip, decay);
    }
}
