package io.github.gramian.serve.decoding.internal;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads that decode images, one per core and at least two. One of them never takes a slow image: a decoder in native
 * code cannot be stopped, so images that take seconds could otherwise hold all threads while cheap ones wait.
 */
final class DecodingThreads implements AutoCloseable {

    private static final int MIN_THREADS = 2;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final DecodingQueue queue = new DecodingQueue();
    private final int maxSlow;
    private int slow;
    private boolean closed;

    DecodingThreads(int cores) {
        int threads = Math.max(MIN_THREADS, cores);
        this.maxSlow = threads - 1;
        for (int i = 1; i <= threads; i++) {
            Thread thread = new Thread(this::runAll, "decode-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Queues images, all of them or none. Their work must not throw. */
    void execute(List<DecodingQueue.Task> tasks) {
        lock.lock();
        try {
            if (closed) {
                throw new RejectedExecutionException("the server is closed and decodes no more images");
            }
            queue.add(tasks);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Removes images that have not been started. */
    void withdraw(List<DecodingQueue.Task> tasks) {
        lock.lock();
        try {
            queue.remove(tasks);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void runAll() {
        for (DecodingQueue.Task task = next(); task != null; task = next()) {
            try {
                task.work().run();
            } finally {
                finished(task);
            }
        }
    }

    /** Waits for the next image; null when there will be none. */
    private DecodingQueue.@Nullable Task next() {
        lock.lock();
        try {
            while (true) {
                DecodingQueue.Task task = queue.next(slow < maxSlow);
                if (task != null) {
                    slow += task.isSlow() ? 1 : 0;
                    return task;
                }
                if (closed && queue.isEmpty()) {
                    return null;
                }
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void finished(DecodingQueue.Task task) {
        lock.lock();
        try {
            slow -= task.isSlow() ? 1 : 0;
            queue.finished(task);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more images and finishes those it has. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
