package io.github.gramian.train;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.layer.Parameter;
import io.github.gramian.tensor.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * The weights of a trainable backbone as {@code Parameter}s. LibTorch's autograd stores gradients at its own tensors; the
 * optimizer updates parameters; these two methods copy between them.
 */
final class BackboneParameters implements AutoCloseable {

    /** What names start with, so that they differ from those of the network behind. */
    private static final String PREFIX = "backbone.";

    private final List<Tensor> weights = new ArrayList<>();
    private final List<Parameter> parameters = new ArrayList<>();

    /** @param taps where features are taken: layers behind them are not trained */
    BackboneParameters(Backbone backbone, List<String> taps) {
        try (Scope scope = Scope.open()) {
            for (Map.Entry<String, Tensor> weight : backbone.parameters(taps).entrySet()) {
                weights.add(weight.getValue());
                parameters.add(Parameter.of(
                        PREFIX + weight.getKey(),
                        Parameter.Role.BACKBONE,
                        weight.getValue().detach().clone()));
            }
        }
    }

    List<Parameter> parameters() {
        return List.copyOf(parameters);
    }

    /** Adds the gradients that autograd found to the parameters', and clears autograd's. */
    void collectGradients() {
        for (int i = 0; i < weights.size(); i++) {
            Tensor gradient = weights.get(i).grad();
            if (gradient.defined()) {
                parameters.get(i).accumulate(gradient);
                // Without one autograd hands over the next as it is, instead of adding it to zeros.
                weights.get(i).mutable_grad().reset();
            }
        }
    }

    /** Copies the parameters' values to the backbone. */
    void publish() {
        for (int i = 0; i < weights.size(); i++) {
            weights.get(i).detach().copy_(parameters.get(i).value());
        }
    }

    @Override
    public void close() {
        parameters.forEach(Parameter::close);
    }
}
