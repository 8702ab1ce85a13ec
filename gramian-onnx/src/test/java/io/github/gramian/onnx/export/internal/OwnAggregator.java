package io.github.gramian.onnx.export.internal;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.AveragePooling;
import io.github.gramian.model.config.Aggregator;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.Map;

/** An aggregator of a user's own. */
public final class OwnAggregator implements Aggregator {

    static final String NAME = "my-average";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int length(int channels, Map<String, String> settings) {
        return channels;
    }

    @Override
    public Layer build(String prefix, int channels, Map<String, String> settings, Placement placement, Seed seed) {
        return new AveragePooling();
    }
}
