package io.github.gramian.image.internal;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that decode images. They are daemons and end after a few idle seconds, so an abandoned pool holds no threads. */
public final class ImageWorkers {

    private static final int IDLE_SECONDS = 3;

    private ImageWorkers() {}

    public static ExecutorService start(int count) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                count, count, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "gramian-image-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Waits for the result of a worker.
     *
     * @param close called before an exception is thrown
     * @throws CancellationException if the waiting thread was interrupted
     */
    public static <T> T await(Future<T> future, Runnable close) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            close.run();
            Thread.currentThread().interrupt();
            throw new CancellationException("loading images was interrupted");
        } catch (ExecutionException e) {
            close.run();
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("loading an image failed: " + e.getCause(), e.getCause());
        }
    }
}
