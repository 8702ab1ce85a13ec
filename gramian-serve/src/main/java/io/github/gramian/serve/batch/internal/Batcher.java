package io.github.gramian.serve.batch.internal;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

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

    private record Entry<I, O>(I input, int place, Submission<O> request, long since) {}

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
     * Reserves places for inputs that will be prepared now.
     *
     * @param deadline in the time of {@link System#nanoTime}; what has not been started by then is dropped
     * @param capacity places that may be taken afterwards, at most as many as the queue has
     * @throws QueueFullException if there are not as many
     */
    public Reservation<I, O> reserve(int count, long deadline, int capacity) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the batcher is closed");
            }
            int most = Math.min(capacity, limits.queue());
            if (count > most - preparing - queue.size()) {
                throw new QueueFullException(most);
            }
            preparing += count;
        } finally {
            lock.unlock();
        }
        return new Reservation<>(this, count, deadline);
    }

    /** Reserves places with the whole queue as the capacity. */
    public Reservation<I, O> reserve(int count, long deadline) {
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

    void release(int count) {
        lock.lock();
        try {
            preparing -= count;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void enter(List<I> inputs, Submission<O> request) {
        long now = System.nanoTime();
        request.expireBy(clock, () -> withdraw(request));
        lock.lock();
        try {
            preparing -= inputs.size();
            for (int place = 0; place < inputs.size(); place++) {
                queue.add(new Entry<>(inputs.get(place), place, request, now));
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Removes inputs that no caller waits for any more. */
    private void withdraw(Submission<O> request) {
        lock.lock();
        try {
            queue.removeIf(entry -> entry.request() == request);
            changed.signalAll();
        } finally {
            lock.unlock();
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
                        entry.request().fail(new TooLateException());
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
