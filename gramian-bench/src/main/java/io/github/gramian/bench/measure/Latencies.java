package io.github.gramian.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How long requests have taken, by the status of their answer. Safe for use by many threads. */
public final class Latencies {

    /** Replaces the status if there was no response. */
    static final int FAILED = -1;

    private final Map<Integer, List<Long>> nanos = new TreeMap<>();

    /**
     * Requests that were answered with one status; latencies in milliseconds.
     *
     * @param status of HTTP, or −1 for no answer
     * @param count of them
     * @param perSecond of them
     * @param p50 half of them took no longer
     * @param p99 99 % of them took no longer
     * @param p999 99.9 % of them took no longer
     * @param longest of all
     */
    public record Answers(
            int status, int count, double perSecond, double p50, double p99, double p999, double longest) {}

    synchronized void add(int status, long took) {
        nanos.computeIfAbsent(status, first -> new ArrayList<>()).add(took);
    }

    /** One entry for each status, in their order. */
    synchronized List<Answers> over(Duration time) {
        return nanos.entrySet().stream()
                .map(entry -> answers(entry.getKey(), entry.getValue(), time))
                .toList();
    }

    private static Answers answers(int status, List<Long> nanos, Duration time) {
        double[] millis = nanos.stream().mapToDouble(one -> one / 1e6).sorted().toArray();
        return new Answers(
                status,
                millis.length,
                1e9 * millis.length / time.toNanos(),
                quantile(millis, 0.5),
                quantile(millis, 0.99),
                quantile(millis, 0.999),
                millis[millis.length - 1]);
    }

    /** The smallest that at least this share of them does not exceed. */
    static double quantile(double[] sorted, double share) {
        return sorted[(int) Math.max(0, Math.ceil(share * sorted.length) - 1)];
    }
}
