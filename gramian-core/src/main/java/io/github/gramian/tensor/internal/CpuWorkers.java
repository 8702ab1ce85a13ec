package io.github.gramian.tensor.internal;

import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.natives.internal.Natives;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.bytedeco.pytorch.global.torch;

/**
 * Per-sample CPU workers: threads that work side by side on separate tasks, each single-threaded: inside a worker the
 * engine and its BLAS use no further threads. For many small matrices that is faster than many threads on one matrix after
 * the other: no thread waits for another, and its data remain in the cache of its core.
 *
 * <p>A worker that is done takes the next task, since cores are rarely equally fast. Which worker runs a task must
 * therefore not matter to its result: what tasks add up, they add up by {@link #task}.
 *
 * <p>The threads are started once and shared by the whole process: with {@link Blas} the one static mutable state of the
 * libraries. They are as many as the engine has threads, and that number is a global of the process; a pool for every owner would
 * start more threads than there are cores.
 */
public final class CpuWorkers {

    static {
        Natives.ENGINE.unpack();
    }

    private static final int NONE = -1;
    private static final ThreadLocal<Integer> TASK = ThreadLocal.withInitial(() -> NONE);
    /** Grows and never shrinks; guarded by this class. */
    private static final List<ExecutorService> THREADS = new ArrayList<>();

    private CpuWorkers() {}

    /** As many as the engine has threads; 1 inside a task. */
    public static int count() {
        return insideTask() ? 1 : torch.get_num_threads();
    }

    public static boolean insideTask() {
        return TASK.get() != NONE;
    }

    /** The number of the task that this thread runs. */
    public static int task() {
        int task = TASK.get();
        if (task == NONE) {
            throw new IllegalStateException("this thread does not run a task of a worker");
        }
        return task;
    }

    /**
     * Runs work(0), …, work(tasks − 1), as many at a time as there are workers, and returns when all are done. If several
     * fail, the first failure is thrown and carries the others; workers take no further tasks after they have failed themselves.
     */
    public static void run(int tasks, IntConsumer work) {
        int workers = Math.min(count(), tasks);
        AtomicInteger next = new AtomicInteger();
        Runnable worker = () -> {
            for (int task = next.getAndIncrement(); task < tasks; task = next.getAndIncrement()) {
                int outer = TASK.get();
                TASK.set(task);
                try {
                    work.accept(task);
                } finally {
                    TASK.set(outer);
                }
            }
        };
        if (workers == 1) {
            worker.run();
            return;
        }
        awaitAll(threads(workers).stream()
                .<Future<?>>map(thread -> thread.submit(worker))
                .toList());
    }

    private static void awaitAll(List<Future<?>> running) {
        Throwable failure = null;
        for (Future<?> worker : running) {
            try {
                ParallelWork.result(worker);
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure; // nothing else was caught
        }
    }

    private static synchronized List<ExecutorService> threads(int workers) {
        if (THREADS.size() < workers) {
            Blas.oneThread();
            int engineThreads = torch.get_num_threads();
            while (THREADS.size() < workers) {
                THREADS.add(start(THREADS.size()));
            }
            // A worker's setting became the default of later threads: restore the engine's.
            torch.set_num_threads(engineThreads);
        }
        return List.copyOf(THREADS.subList(0, workers));
    }

    private static ExecutorService start(int number) {
        ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
            Thread worker = new Thread(work, "gramian-worker-" + number);
            worker.setDaemon(true);
            return worker;
        });
        Runnable singleThreaded = () -> {
            // Asking first: the engine gives a thread its default when it first asks, and would undo the setting.
            torch.get_num_threads();
            torch.set_num_threads(1);
        };
        ParallelWork.result(thread.submit(singleThreaded));
        return thread;
    }
}
