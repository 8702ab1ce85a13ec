package io.github.gramian.distributed.internal;

import io.github.gramian.io.internal.Futures;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A heartbeat every second between processes, until each has finished its own work. That work may take any time: only a
 * process that dies or stops responding is noticed. Meanwhile only the heartbeat's thread uses the process
 * group.
 */
final class Heartbeat implements AutoCloseable {

    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final ProcessGroup group;
    private final Duration period;
    private final CountDownLatch done = new CountDownLatch(1);
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final Thread thread = new Thread(this::beat, "gramian-heartbeat");
    private volatile boolean given;

    private Heartbeat(ProcessGroup group) {
        this.group = group;
        Duration quarter = group.distributed().timeout().dividedBy(4);
        this.period = quarter.compareTo(LONGEST) < 0 ? quarter : LONGEST;
        thread.setDaemon(true);
    }

    static Heartbeat start(ProcessGroup group) {
        Heartbeat beat = new Heartbeat(group);
        beat.thread.start();
        return beat;
    }

    private void beat() {
        try {
            boolean own = false;
            while (!given) {
                own = own || done.await(period.toMillis(), TimeUnit.MILLISECONDS);
                if (!given && group.sum(own ? 1 : 0)[0] == group.distributed().size()) {
                    break;
                }
            }
            over.complete(null);
        } catch (Throwable failure) { // whatever it is, it belongs to the thread that waits
            over.completeExceptionally(failure);
        }
    }

    /** This process is done; returns when all are. */
    void finish() {
        done.countDown();
        Futures.result(over);
    }

    /** Ends the heartbeat, also in the middle of the work; the others then notice that this process is missing. */
    @Override
    public void close() {
        given = true;
        done.countDown();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true; // the thread uses memory that is freed after this
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
