package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * Turns the feature maps of an image into one vector, by code of your own: a class with a public constructor without
 * arguments, named in {@code META-INF/services/io.github.gramian.model.config.Aggregator} of any jar on the class path.
 * Recipes then call it by its name, and models that use it load wherever the jar is.
 */
public interface Aggregator {

    /** Its name in recipes and saved models. */
    String name();

    /** Dimensions of the vector for so many channels. */
    int length(int channels, Map<String, String> settings);

    /**
     * The layer: [batch, channels, N] → [batch, length].
     *
     * @param prefix what names of its parameters start with
     * @param seed of its random weights
     */
    Layer build(String prefix, int channels, Map<String, String> settings, Placement placement, Seed seed);

    /** The aggregator with this name. */
    static Aggregator named(String name) {
        List<Aggregator> all = ServiceLoader.load(Aggregator.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        return all.stream()
                .filter(aggregator -> aggregator.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no aggregator is called '" + name
                        + "'; put the jar that registers it on the class path (found: "
                        + all.stream().map(Aggregator::name).toList() + ")"));
    }
}
