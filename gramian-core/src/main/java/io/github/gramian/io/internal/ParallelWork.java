package io.github.gramian.io.internal;

import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Applies a function to many items on a few threads, and returns the results in the order of the items. */
public final class ParallelWork {

    private ParallelWork() {}

    /** Applies a function to every item; the first failure is thrown again and ends the others soon. */
    public static <A, B> List<B> map(List<A> items, int threads, Function<? super A, ? extends B> work) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads must be at least 1 but is " + threads);
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads, ParallelWork::daemon);
        try {
            // Workers take the next index themselves: a million items make no million queued tasks.
            AtomicInteger next = new AtomicInteger();
            Object[] results = new Object[items.size()];
            CompletionService<Object> workers = new ExecutorCompletionService<>(pool);
            for (int i = 0; i < threads; i++) {
                workers.submit(Executors.callable(() -> {
                    for (int at = next.getAndIncrement();
                            at < results.length && !Thread.currentThread().isInterrupted();
                            at = next.getAndIncrement()) {
                        results[at] = work.apply(items.get(at));
                    }
                }));
            }
            // In the order in which they end: the others must not continue after one has failed.
            for (int i = 0; i < threads; i++) {
                workers.take().get();
            }
            return typed(results);
        } catch (ExecutionException e) {
            throw thrownBy(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for parallel work", e);
        } finally {
            pool.shutdownNow();
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "gramian-worker");
        thread.setDaemon(true);
        return thread;
    }

    // Every entry was returned by a Function<A, B>.
    @SuppressWarnings("unchecked")
    private static <B> List<B> typed(Object[] results) {
        return (List<B>) List.of(results);
    }

    /**
     * The result of work on another thread; what it threw is thrown here, wrapped if it is checked. Waits to the end of the work even
     * when interrupted: tensors that it reads and writes must not go away under it. The interruption is stored for later.
     */
    public static <T> T result(Future<T> work) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return work.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw thrownBy(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The exception of the work, to be thrown again, wrapped if it is checked; an error is thrown at once. */
    private static RuntimeException thrownBy(ExecutionException failed) {
        if (failed.getCause() instanceof Error error) {
            throw error;
        }
        return failed.getCause() instanceof RuntimeException unchecked
                ? unchecked
                : new IllegalStateException(failed.getCause());
    }
}
