package io.github.gramian.check.internal;

import io.github.gramian.tensor.Scope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;

/**
 * Times several contenders in turn, round after round, so that noise of the machine affects all of them equally. Only
 * medians and ratios within one run mean anything.
 */
public final class Rounds {

    private static final Duration SETTLING = Duration.ofMillis(200);

    private final Map<String, DoubleSupplier> contenders = new LinkedHashMap<>();

    /**
     * Milliseconds of one contender.
     *
     * @param median over the rounds
     * @param fastest round
     * @param slowest round
     */
    public record Timing(double median, double fastest, double slowest) {

        private static Timing of(double[] millis) {
            return new Timing(
                    Rounds.median(millis),
                    Arrays.stream(millis).min().orElseThrow(),
                    Arrays.stream(millis).max().orElseThrow());
        }
    }

    /** Adds a contender; each of its runs gets its own scope. */
    public Rounds with(String name, Runnable work) {
        return withClock(name, () -> millisOf(work));
    }

    /** Adds a contender that reports its milliseconds itself, such as another process; each run gets its own scope. */
    public Rounds withClock(String name, DoubleSupplier millis) {
        contenders.put(name, millis);
        return this;
    }

    /** Runs everything some times unmeasured, for warm-up, then round after round; the timings by name. */
    public Map<String, Timing> run(int warmUps, int rounds) {
        if (rounds < 1) {
            throw new IllegalArgumentException("a measurement needs at least 1 round but got " + rounds);
        }
        Map<String, double[]> millis = new LinkedHashMap<>();
        contenders.keySet().forEach(name -> millis.put(name, new double[rounds]));
        Random random = new Random(0);
        for (int round = -warmUps; round < rounds; round++) {
            for (Map.Entry<String, DoubleSupplier> contender : shuffled(random)) {
                double spent = time(contender.getValue());
                double[] all = millis.get(contender.getKey());
                if (round >= 0 && all != null) {
                    all[round] = spent;
                }
            }
        }
        Map<String, Timing> timings = new LinkedHashMap<>();
        millis.forEach((name, all) -> timings.put(name, Timing.of(all)));
        return timings;
    }

    /**
     * The contenders of one round. All rounds draw from one generator: generators with consecutive seeds start with nearly
     * the same values, so two contenders would keep one order. No contender always runs after the same other one.
     */
    private List<Map.Entry<String, DoubleSupplier>> shuffled(Random random) {
        List<Map.Entry<String, DoubleSupplier>> order = new ArrayList<>(contenders.entrySet());
        Collections.shuffle(order, random);
        return order;
    }

    private static double time(DoubleSupplier contender) {
        settle();
        try (Scope scope = Scope.open()) {
            return contender.getAsDouble();
        }
    }

    /**
     * Threads spin for a while when their work is done, OpenBLAS' for about 130 ms: waits until they sleep. Settings that
     * forbid spinning would slow the contenders themselves.
     */
    public static void settle() {
        LockSupport.parkNanos(SETTLING.toNanos());
    }

    /** The wall-clock time of some work. */
    public static double millisOf(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e6;
    }

    /** The middle one, or the mean of the two in the middle. */
    public static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
