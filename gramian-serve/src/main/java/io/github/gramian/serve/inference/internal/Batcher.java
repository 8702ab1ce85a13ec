package io.github.gramian.serve.inference.internal;

import io.github.gramian.serve.protocol.internal.RequestException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects inputs to batches and runs them on one thread. Places are reserved before an input is prepared: so it is known
 * early whether there is capacity, and a batch waits only for inputs that are on their way, never for ones that may come. A
 * single client is not delayed at all.
 *
 * @param <I> what the work takes
 * @param <O> what it makes of each input
 */
public final class Batcher<I, O> implements AutoCloseable {

    private final BatchLimits limits;
    private final Function<List<I>, List<O>> work;
    private final BatchListener listener;
    private final Thread runner;
    private final ScheduledThreadPoolExecutor clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Entry<I, O>> queue = new ArrayDeque<>();
    private int preparing;
    private boolean closed;

    /**
     * How inputs are collected.
     *
     * @param size inputs of a batch at most
     * @param delay how long the first input of a batch waits for others that are on their way
     * @param queue inputs that wait or are being prepared at most; further ones are refused
     */
    public record BatchLimits(int size, Duration delay, int queue) {

        private static final Duration MAX_DELAY = Duration.ofSeconds(10);

        public BatchLimits {
            if (size < 1 || size > 4096) {
                throw new IllegalArgumentException("batch.size must lie in 1..4096 but is " + size);
            }
            if (queue < 1 || queue > 65_536) {
                throw new IllegalArgumentException("batch.queue must lie in 1..65536 but is " + queue);
            }
            if (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0) {
                throw new IllegalArgumentException(
                        "batch.delayMillis must lie in 0.." + MAX_DELAY.toMillis() + " but is " + delay.toMillis());
            }
        }

        /** The same with smaller batches, if these are too large. */
        public BatchLimits atMost(int largest) {
            return size <= largest ? this : new BatchLimits(largest, delay, queue);
        }
    }

    /** Receives what a batcher does; called on its thread, so it must be fast. */
    public interface BatchListener {

        /** An input has waited this long for its batch to start. */
        default void onWaited(long nanos) {}

        /** A batch of this number of inputs has been computed in this time. */
        default void onBatch(int size, long nanos) {}
    }

    private record Entry<I, O>(I input, int place, Batcher<I, O>.Reservation request, long since) {}

    /**
     * Starts its thread.
     *
     * @param work outputs of a batch in the order of the inputs
     */
    public Batcher(String name, BatchLimits limits, Function<List<I>, List<O>> work, BatchListener listener) {
        this.limits = limits;
        this.work = work;
        this.listener = listener;
        this.clock = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "deadlines-" + name));
        clock.setRemoveOnCancelPolicy(true);
        this.runner = daemon(this::runAll, "batches-" + name);
        runner.start();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Reserves places for inputs that will be prepared now, or refuses the request (429).
     *
     * @param deadline in the time of {@link System#nanoTime}; what has not been started by then is dropped
     * @param capacity places that may be taken afterwards, at most as many as the queue has
     */
    public Reservation reserve(int count, long deadline, int capacity) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the batcher is closed");
            }
            int most = Math.min(capacity, limits.queue());
            if (count > most - preparing - queue.size()) {
                throw new RequestException(
                        RequestException.QUEUE_FULL, "the queue of " + most + " images is full; try again later");
            }
            preparing += count;
        } finally {
            lock.unlock();
        }
        return new Reservation(count, deadline);
    }

    /** Reserves places with the whole queue as the capacity. */
    public Reservation reserve(int count, long deadline) {
        return reserve(count, deadline, limits.queue());
    }

    /** Inputs that wait or are being prepared. */
    public int waiting() {
        lock.lock();
        try {
            return preparing + queue.size();
        } finally {
            lock.unlock();
        }
    }

    public BatchLimits limits() {
        return limits;
    }

    /** Places of one request in the queue: used once, or given back. Its inputs wait, then are started or too late. */
    public final class Reservation implements AutoCloseable {

        private final long deadline;
        private final AtomicBoolean used = new AtomicBoolean();
        private final CompletableFuture<List<O>> answer = new CompletableFuture<>();
        private final @Nullable Object[] outputs;
        private int missing;
        private boolean started;
        private boolean dropped;
        private @Nullable Future<?> alarm;

        private Reservation(int count, long deadline) {
            this.deadline = deadline;
            this.outputs = new Object[count];
            this.missing = count;
        }

        /**
         * Queues as many inputs as were reserved. The answer has the outputs in their order, or fails at the deadline (504) if
         * the network has not started by then, or with whatever the work threw.
         */
        public CompletableFuture<List<O>> submit(List<I> inputs) {
            if (inputs.size() != outputs.length) {
                throw new IllegalArgumentException(outputs.length + " places were reserved, not " + inputs.size());
            }
            if (!used.compareAndSet(false, true)) {
                throw new IllegalStateException("these places have been used or given back");
            }
            setAlarm();
            long now = System.nanoTime();
            lock.lock();
            try {
                preparing -= outputs.length;
                for (int place = 0; place < outputs.length; place++) {
                    queue.add(new Entry<>(inputs.get(place), place, this, now));
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            return answer;
        }

        /** Gives the places back if they have not been used. */
        @Override
        public void close() {
            if (used.compareAndSet(false, true)) {
                lock.lock();
                try {
                    preparing -= outputs.length;
                    changed.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        }

        /** Fails at the deadline unless it has started by then; not when its turn would have come, which may be much later. */
        private void setAlarm() {
            Future<?> set =
                    clock.schedule(this::expire, Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            synchronized (this) {
                alarm = set;
                if (started) {
                    set.cancel(false);
                }
            }
        }

        private void expire() {
            synchronized (this) {
                if (started) {
                    return;
                }
                dropped = true;
            }
            lock.lock();
            try {
                queue.removeIf(entry -> entry.request() == this);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            fail(RequestException.late());
        }

        /** Whether the network may run on it; once it has, all of it is computed. */
        private synchronized boolean start() {
            if (!started && (dropped || answer.isDone() || System.nanoTime() - deadline > 0)) {
                return false;
            }
            started = true;
            if (alarm != null) {
                alarm.cancel(false);
            }
            return true;
        }

        private void done(int place, O output) {
            synchronized (this) {
                outputs[place] = output;
                if (--missing > 0) {
                    return;
                }
            }
            @SuppressWarnings("unchecked") // only this method puts something there
            List<O> all = (List<O>)
                    Arrays.stream(outputs).map(Objects::requireNonNull).toList();
            answer.complete(all);
        }

        private void fail(Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }

    private void runAll() {
        try {
            for (List<Entry<I, O>> batch = next(); !batch.isEmpty(); batch = next()) {
                run(batch);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next batch; empty when there will be none. */
    private List<Entry<I, O>> next() throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                while (queue.isEmpty()) {
                    if (closed && preparing == 0) {
                        return List.of();
                    }
                    changed.await();
                }
                awaitOthers();
                List<Entry<I, O>> batch = new ArrayList<>();
                while (batch.size() < limits.size() && !queue.isEmpty()) {
                    Entry<I, O> entry = queue.remove();
                    if (entry.request().start()) {
                        batch.add(entry);
                    } else {
                        entry.request().fail(RequestException.late());
                    }
                }
                if (!batch.isEmpty()) {
                    return batch;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for inputs that are being prepared, as long as that may last. */
    private void awaitOthers() throws InterruptedException {
        long left = limits.delay().toNanos();
        while (queue.size() < limits.size() && preparing > 0 && left > 0) {
            left = changed.awaitNanos(left);
        }
    }

    private void run(List<Entry<I, O>> batch) {
        long start = System.nanoTime();
        try {
            batch.forEach(entry -> listener.onWaited(start - entry.since()));
            List<O> outputs = work.apply(batch.stream().map(Entry::input).toList());
            listener.onBatch(batch.size(), System.nanoTime() - start);
            for (int i = 0; i < batch.size(); i++) {
                batch.get(i).request().done(batch.get(i).place(), outputs.get(i));
            }
        } catch (RuntimeException | Error failure) {
            // The next batch may be one that works; these requests get the error.
            batch.forEach(entry -> entry.request().fail(failure));
        }
    }

    /** Takes no more, finishes what it has, and ends its threads. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        boolean hurried = false;
        while (runner.isAlive()) {
            try {
                runner.join();
            } catch (InterruptedException e) {
                // It ends after the batch that it computes, since the caller of close frees memory that the batch uses.
                runner.interrupt();
                hurried = true;
            }
        }
        clock.shutdownNow();
        if (hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
