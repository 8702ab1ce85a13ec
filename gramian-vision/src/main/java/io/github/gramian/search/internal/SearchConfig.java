package io.github.gramian.search.internal;

import io.github.gramian.run.TrainingListener;
import io.github.gramian.search.SearchOptions.Preference;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

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
        Limit limit,
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
    public record Watcher(BooleanSupplier stop, Consumer<SearchEvent> search, TrainingListener training) {

        /** No cancellation and no listener. */
        public static Watcher silent() {
            return new Watcher(() -> false, event -> {}, TrainingListener.silent());
        }
    }

    /** When a search ends, if not with its space. */
    public sealed interface Limit {

        /** After this number of minutes, the training of the chosen recipe included. */
        record Minutes(double minutes) implements Limit {
            public Minutes {
                if (!(minutes > 0 && minutes <= 100_000)) {
                    throw new IllegalArgumentException("the minutes of a search must be above 0 but are " + minutes);
                }
            }

            double seconds() {
                return 60 * minutes;
            }
        }

        /** After this number of trials, however long they take: two such searches give the same, bit for bit. */
        record Trials(int trials) implements Limit {
            public Trials {
                if (trials < 1) {
                    throw new IllegalArgumentException("a search needs at least 1 trial but got " + trials);
                }
            }
        }
    }
}
