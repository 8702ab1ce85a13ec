package io.github.gramian.serve.metrics.internal;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The latencies of the last requests, for the page: Prometheus computes its own from the histograms. */
public final class RecentRequests {

    private static final int CAPACITY = 4096;
    private static final long SPAN = TimeUnit.SECONDS.toNanos(30);

    private final LongSupplier clock;
    private final long start;
    private final long[] ended = new long[CAPACITY];
    private final long[] lasted = new long[CAPACITY];
    private long count;

    RecentRequests(LongSupplier clock) {
        this.clock = clock;
        this.start = clock.getAsLong();
    }

    synchronized void add(long nanos) {
        int place = (int) (count++ % CAPACITY);
        ended[place] = clock.getAsLong();
        lasted[place] = nanos;
    }

    /**
     * The last half minute.
     *
     * @param perSecond requests answered
     * @param medianMillis 0 if there were none
     * @param p99Millis 0 if there were none
     */
    public record Summary(double perSecond, double medianMillis, double p99Millis) {}

    /** Of the last half minute. */
    public synchronized Summary summary() {
        long now = clock.getAsLong();
        int filled = (int) Math.min(count, CAPACITY);
        long[] recent = new long[filled];
        int found = 0;
        long oldest = now;
        for (int i = 0; i < filled; i++) {
            if (now - ended[i] <= SPAN) {
                recent[found++] = lasted[i];
                oldest = Math.min(oldest, ended[i]);
            }
        }
        Arrays.sort(recent, 0, found);
        // All stored requests may be younger than the span; then the summary covers a shorter one.
        long span = found == CAPACITY ? now - oldest : Math.min(SPAN, now - start);
        return new Summary(found / Math.max(1e-3, span / 1e9), millis(recent, found, 0.5), millis(recent, found, 0.99));
    }

    private static double millis(long[] sorted, int count, double share) {
        return count == 0 ? 0 : sorted[(int) Math.ceil(share * count) - 1] / 1e6;
    }
}
