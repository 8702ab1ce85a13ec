package io.github.gramian.train.stage.internal;

import io.github.gramian.backbone.Backbone;
import io.github.gramian.layer.Parameter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * The weights of a trainable backbone as {@code Parameter}s. Values and gradients are LibTorch's own tensors, seen from the
 * other side: autograd adds to the gradients, the optimizer moves the values, and nothing is copied between them. That is
 * possible since trainable weights are float whatever the precision of the activations.
 */
public final class BackboneParameters implements AutoCloseable {

    /** The prefix of names, so that they differ from those of the network after it. */
    private static final String PREFIX = "backbone.";

    private final List<Tensor> weights = new ArrayList<>();
    private final List<Parameter> parameters = new ArrayList<>();
    private final Map<String, Integer> depths = new HashMap<>();

    /** @param taps where features are taken; layers after them are not trained */
    public BackboneParameters(Backbone backbone, List<String> taps) {
        for (Map.Entry<String, Tensor> weight : backbone.parameters(taps).entrySet()) {
            Parameter parameter =
                    Parameter.shared(PREFIX + weight.getKey(), Parameter.Role.BACKBONE, weight.getValue());
            weight.getValue().mutable_grad().put(parameter.gradient());
            weights.add(weight.getValue());
            parameters.add(parameter);
        }
        List<List<String>> blocks = backbone.trainableBlocks(taps);
        for (int b = 0; b < blocks.size(); b++) {
            for (String name : blocks.get(b)) {
                depths.put(PREFIX + name, blocks.size() - 1 - b);
            }
        }
    }

    List<Parameter> parameters() {
        return List.copyOf(parameters);
    }

    /** How many trained blocks lie between each parameter, by name, and the features: 0 for those of the last block. */
    Map<String, Integer> depths() {
        return Map.copyOf(depths);
    }

    /** Gives the memory back to the backbone: its weights do not change and have no gradients. */
    @Override
    public void close() {
        weights.forEach(weight -> weight.mutable_grad().reset());
        parameters.forEach(Parameter::close);
    }
}
