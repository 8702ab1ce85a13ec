package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.MaxPooling;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/** The largest activation of each channel over positions. */
public record MaxPoolingConfig() implements AggregatorConfig.Single {

    @Override
    public int length(int channels) {
        return channels;
    }

    @Override
    public String layerName() {
        return "max pooling";
    }

    @Override
    public Layer build(String prefix, int channels, Placement placement, Seed seed) {
        return new MaxPooling();
    }
}
