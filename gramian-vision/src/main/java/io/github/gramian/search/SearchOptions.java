package io.github.gramian.search;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of a search.
 *
 * @param time for the search and the training of the chosen recipe; ignored if {@code trials} is above 0
 * @param trials number of trials instead of a time, which makes searches repeatable bit for bit; 0 for a time
 * @param prefer decides between candidates whose accuracies differ by no more than chance
 * @param robust whether candidates are compared on corrupted copies of left-out images instead of the images as they are
 * @param space YAML file with the candidates; null for the standard space
 */
public record SearchOptions(
        Duration time,
        int trials,
        Preference prefer,
        boolean robust,
        @Nullable Path space) {

    /** Decides between candidates whose accuracies differ by no more than chance. */
    public enum Preference {
        /** Within one standard error of the best, the least work for the backbone, then the shortest descriptor. */
        BALANCED,

        /** The most accurate candidate, regardless of its cost. */
        ACCURACY,

        /** Like {@link #BALANCED}, but within two standard errors. */
        SPEED,

        /** Within one standard error of the best, the shortest descriptor, which gives the smallest model. */
        SMALL
    }

    public SearchOptions {
        if (trials < 0) {
            throw new IllegalArgumentException("trials must be 0 or more but are " + trials);
        }
    }

    /** A search of the standard space that ends in time. */
    public static SearchOptions within(Duration time) {
        return new SearchOptions(time, 0, Preference.BALANCED, false, null);
    }

    /** A search of the standard space that ends after a number of trials: two such searches give the same result. */
    public static SearchOptions trials(int trials) {
        if (trials < 1) {
            throw new IllegalArgumentException("a search needs at least 1 trial but got " + trials);
        }
        return new SearchOptions(Duration.ZERO, trials, Preference.BALANCED, false, null);
    }

    /** The same with another preference. */
    public SearchOptions preferring(Preference other) {
        return new SearchOptions(time, trials, other, robust, space);
    }

    /** The same for the mean accuracy on corrupted copies of images, by default among recipes that are fitted to such copies. */
    public SearchOptions forCorruptedImages() {
        return new SearchOptions(time, trials, prefer, true, space);
    }

    /** The same with the candidates of a YAML file, such as {@code grids/search/standard.yaml}. */
    public SearchOptions in(Path file) {
        return new SearchOptions(time, trials, prefer, robust, file);
    }
}
