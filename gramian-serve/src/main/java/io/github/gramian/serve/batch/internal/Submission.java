package io.github.gramian.serve.batch.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request of some inputs on its way through a {@link Batcher}: waiting, then started or too late. */
final class Submission<O> {

    private final long deadline;
    private final @Nullable Object[] outputs;
    private final CompletableFuture<List<O>> answer = new CompletableFuture<>();
    private int missing;
    private boolean started;
    private boolean dropped;
    private @Nullable Future<?> alarm;

    Submission(int count, long deadline) {
        this.deadline = deadline;
        this.outputs = new Object[count];
        this.missing = count;
    }

    CompletableFuture<List<O>> answer() {
        return answer;
    }

    /** Fails at the deadline unless it has started by then; not when its turn would have come, which may be much later. */
    void expireBy(ScheduledExecutorService clock, Runnable withdraw) {
        long left = deadline - System.nanoTime();
        Future<?> set = clock.schedule(
                () -> {
                    if (drop()) {
                        withdraw.run();
                        answer.completeExceptionally(new TooLateException());
                    }
                },
                Math.max(0, left),
                TimeUnit.NANOSECONDS);
        synchronized (this) {
            alarm = set;
            if (started) {
                set.cancel(false);
            }
        }
    }

    private synchronized boolean drop() {
        dropped = !started;
        return dropped;
    }

    /** Whether the network may run on it; once it has, all of it is computed. */
    synchronized boolean start() {
        if (!started && (dropped || answer.isDone() || System.nanoTime() - deadline > 0)) {
            return false;
        }
        started = true;
        if (alarm != null) {
            alarm.cancel(false);
        }
        return true;
    }

    void done(int place, O output) {
        synchronized (this) {
            outputs[place] = output;
            if (--missing > 0) {
                return;
            }
        }
        @SuppressWarnings("unchecked") // only done() puts something there
        List<O> all =
                (List<O>) Arrays.stream(outputs).map(Objects::requireNonNull).toList();
        answer.complete(all);
    }

    void fail(Throwable failure) {
        answer.completeExceptionally(failure);
    }
}
