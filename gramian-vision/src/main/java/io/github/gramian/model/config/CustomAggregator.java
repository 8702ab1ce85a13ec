package io.github.gramian.model.config;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.layer.Layer;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.Map;

/** A user's aggregator with the settings that a recipe gives it. */
record CustomAggregator<S extends Record>(Aggregator<S> aggregator, S settings) {

    /**
     * Fills the aggregator's settings record: its defaults, replaced by the given strings.
     *
     * @throws IllegalArgumentException for a key that the record does not have, or a value that it does not take
     */
    static <S extends Record> CustomAggregator<S> of(Aggregator<S> aggregator, Map<String, String> given) {
        S defaults = aggregator.defaults();
        ObjectNode tree = (ObjectNode) ConfigJson.toTree(defaults);
        given.forEach(tree::put);
        @SuppressWarnings("unchecked") // the class of an S
        Class<S> type = (Class<S>) defaults.getClass();
        try {
            return new CustomAggregator<>(aggregator, ConfigJson.fromTree(tree, type));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "settings of aggregator '" + aggregator.name() + "': " + e.getMessage(), e);
        }
    }

    int length(int channels) {
        return aggregator.length(channels, settings);
    }

    Layer build(String prefix, int channels, Placement placement, Seed seed) {
        String name = aggregator.name();
        return aggregator.build(prefix + name + ".", channels, settings, placement, seed.child(name));
    }
}
