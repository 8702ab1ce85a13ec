package io.github.gramian.onnx.export.internal;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.AveragePooling;
import io.github.gramian.model.config.Aggregator;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;

/** An aggregator of a user's own. */
public final class OwnAggregator implements Aggregator<OwnAggregator.Settings> {

    /** It has none. */
    public record Settings() {}

    static final String NAME = "my-average";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Settings defaults() {
        return new Settings();
    }

    @Override
    public int length(int channels, Settings settings) {
        return channels;
    }

    @Override
    public Layer build(String prefix, int channels, Settings settings, Placement placement, Seed seed) {
        return new AveragePooling();
    }
}
