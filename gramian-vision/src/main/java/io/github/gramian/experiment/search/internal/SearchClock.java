package io.github.gramian.experiment.search.internal;

import java.util.function.LongSupplier;

/** The time a search has used, that of earlier processes included. */
final class SearchClock {

    private final LongSupplier nanos;
    private final long start;
    private final double before;

    /**
     * Starts now.
     *
     * @param before seconds that earlier processes used
     */
    SearchClock(LongSupplier nanos, double before) {
        this.nanos = nanos;
        this.start = nanos.getAsLong();
        this.before = before;
    }

    double seconds() {
        return before + (nanos.getAsLong() - start) / 1e9;
    }
}
