package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.FisherVector;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/**
 * Gradients of a mixture of normal distributions that is fitted to training features: the Fisher vector.
 *
 * @param components normal distributions in the mixture
 */
public record FisherConfig(int components) implements AggregatorConfig.Single {

    public FisherConfig {
        CodebookLength.check("components", components);
    }

    @Override
    public int length(int channels) {
        return CodebookLength.of("components", 2, components, channels);
    }

    @Override
    public String layerName() {
        return "Fisher vector";
    }

    @Override
    public Layer build(String prefix, int channels, Placement placement, Seed seed) {
        return FisherVector.unfitted(prefix + "fisher", components, channels, placement, seed.child("fisher"));
    }
}
