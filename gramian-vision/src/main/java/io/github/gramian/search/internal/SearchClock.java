package io.github.gramian.search.internal;

import java.util.function.LongSupplier;

/** The time a search has used, that of earlier processes included. */
final class SearchClock {

    private final LongSupplier nanos;
    private final long start;
    private final double before;

    /**
     * A clock that was started.
     *
     * @param start what the nanoseconds were then
     * @param before seconds that earlier processes used
     */
    SearchClock(LongSupplier nanos, long start, double before) {
        this.nanos = nanos;
        this.start = start;
        this.before = before;
    }

    double seconds() {
        return before + (nanos.getAsLong() - start) / 1e9;
    }
}
