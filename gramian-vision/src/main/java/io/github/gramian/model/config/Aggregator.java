package io.github.gramian.model.config;

import io.github.gramian.layer.Layer;
import io.github.gramian.layer.aggregator.DataDependentInit;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/**
 * Turns the feature maps of an image into one vector, by your own code: a class with a public constructor without
 * arguments, named in {@code META-INF/services/io.github.gramian.model.config.Aggregator} of any jar on the class path.
 * Recipes then refer to it by its name, and models that use it load wherever the jar is.
 *
 * @param <S> its settings: a record whose components are numbers, booleans, strings or enum constants. A recipe gives some of
 *     them by name; a key that the record does not have is an error that names the nearest one
 */
public interface Aggregator<S extends Record> {

    /** Its name in recipes and saved models. */
    String name();

    /** The settings of a recipe that gives none; a recipe's settings replace single components. */
    S defaults();

    /** Dimensions of the vector for a number of channels. */
    int length(int channels, S settings);

    /**
     * The layer: [batch, channels, N] → [batch, length]. If it is a {@link DataDependentInit}, training fits it to a sample
     * of the training images' vectors before the first step.
     *
     * @param prefix prefix of the names of its parameters
     * @param seed seed of its random weights
     */
    Layer build(String prefix, int channels, S settings, Placement placement, Seed seed);

    /** The aggregator with this name. */
    static Aggregator<?> named(String name) {
        List<String> found = new ArrayList<>();
        for (Aggregator<?> aggregator : ServiceLoader.load(Aggregator.class)) {
            if (aggregator.name().equals(name)) {
                return aggregator;
            }
            found.add(aggregator.name());
        }
        throw new IllegalArgumentException("no aggregator is called '" + name
                + "'; put the jar that registers it on the class path (found: " + found + ")");
    }
}
