package io.github.gramian.search.internal;

import io.github.gramian.run.TrainingListener;
import io.github.gramian.search.SearchOptions.Preference;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A search.
 *
 * @param space what is tried
 * @param settings of the form {@code key=value} on top of every recipe: images and weights are named here
 * @param limit when it ends
 * @param objective what is compared
 * @param prefer what decides between candidates that chance could have exchanged
 * @param folder run directory that it leaves
 * @param cache folder for features
 */
public record SearchConfig(
        SearchSpace space,
        List<String> settings,
        SearchLimit limit,
        Objective objective,
        Preference prefer,
        Path folder,
        Path cache) {

    public SearchConfig {
        settings = List.copyOf(settings);
    }

    /**
     * The listeners, and the cancellation.
     *
     * @param stop asked after every batch
     * @param search receives trials and decisions
     * @param training receives features, notes, and the training of the chosen recipe
     */
    public record Watcher(BooleanSupplier stop, SearchListener search, TrainingListener training) {

        /** No cancellation and no listener. */
        public static Watcher silent() {
            return new Watcher(() -> false, event -> {}, TrainingListener.silent());
        }
    }
}
