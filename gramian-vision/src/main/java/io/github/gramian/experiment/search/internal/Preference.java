package io.github.gramian.experiment.search.internal;

import java.util.Comparator;
import java.util.Optional;

/** What decides between candidates that chance could have exchanged. */
public enum Preference {
    /** Within one standard error of the best, the least work for the backbone, then the shortest descriptor. */
    BALANCED(1, Leaderboard.BY_WORK),

    /** The best, whatever it costs. */
    ACCURACY(0, Leaderboard.BY_WORK),

    /** As balanced, but within two standard errors. */
    SPEED(2, Leaderboard.BY_WORK),

    /** Within one standard error of the best, the shortest descriptor, which is the smallest model. */
    SMALL(1, Leaderboard.BY_SIZE);

    private final double errors;

    @SuppressWarnings("ImmutableEnumChecker") // compares values
    private final Comparator<Leaderboard.Row> order;

    Preference(double errors, Comparator<Leaderboard.Row> order) {
        this.errors = errors;
        this.order = order;
    }

    /** The choice among the rows that were scored on most images. */
    public Optional<Leaderboard.Row> choose(Leaderboard board) {
        return board.finalists().stream()
                .filter(row -> !row.behind().exceeds(errors))
                .min(errors == 0 ? Comparator.comparingInt(Leaderboard.Row::rank) : order);
    }
}
