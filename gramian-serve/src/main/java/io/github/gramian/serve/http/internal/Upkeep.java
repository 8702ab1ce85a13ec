package io.github.gramian.serve.http.internal;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.io.internal.Text;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tasks that look after files that may change, each once per second. Reading a file can block for ever, for example on a network
 * disk, and no thread that does so can be stopped. So each task has its own thread, which delays neither another task nor the end
 * of the process.
 */
final class Upkeep implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");
    private static final long PERIOD_MILLIS = 1000;

    private final List<Task> tasks = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService clock = thread("upkeep-deadlines");

    /** The work of a task. */
    interface Duty {
        void run() throws IOException;
    }

    private static ScheduledExecutorService thread(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Starts a task.
     *
     * @param deadline after which a round that still runs is logged
     * @param otherwise consequence of a round that fails or does not end, as a part of a sentence
     */
    void start(String name, Duration deadline, String otherwise, Duty duty) {
        Task task = new Task(deadline, otherwise, duty, thread("upkeep-" + name));
        tasks.add(task);
        var unused =
                task.thread.scheduleWithFixedDelay(task::round, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Number of rounds that every task has completed. */
    long rounds() {
        return tasks.stream().mapToLong(task -> task.rounds.get()).min().orElse(0);
    }

    private final class Task {

        private final Duration deadline;
        private final String otherwise;
        private final Duty duty;
        private final ScheduledExecutorService thread;
        private final AtomicLong rounds = new AtomicLong();
        private String lastFailure = "";

        Task(Duration deadline, String otherwise, Duty duty, ScheduledExecutorService thread) {
            this.deadline = deadline;
            this.otherwise = otherwise;
            this.duty = duty;
            this.thread = thread;
        }

        /** Throws nothing, since the scheduler would drop the task. */
        void round() {
            Future<?> alarm = clock.schedule(this::isLate, deadline.toNanos(), TimeUnit.NANOSECONDS);
            String failure = "";
            try {
                duty.run();
            } catch (IOException | RuntimeException | Error thrown) {
                failure = Failure.of(thrown).line();
            } finally {
                alarm.cancel(false);
            }
            // One that lasts is logged once.
            if (!failure.isEmpty() && !failure.equals(lastFailure) && !thread.isShutdown()) {
                LOG.log(Level.WARNING, otherwise + ": " + failure);
            }
            lastFailure = failure;
            rounds.incrementAndGet();
        }

        private void isLate() {
            LOG.log(
                    Level.WARNING,
                    otherwise + ": reading has taken more than " + Text.duration(deadline.toMillis() / 1e3)
                            + " and has not ended; check the disk of the file");
        }
    }

    /** Starts no more rounds. Those that run are not waited for. */
    @Override
    public void close() {
        tasks.forEach(task -> task.thread.shutdown());
        clock.shutdownNow();
    }
}
