package io.github.gramian.tensor;

import io.github.gramian.io.Futures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.bytedeco.pytorch.global.torch;

/**
 * CPU threads that work side by side on tasks of their own, each computing alone: inside a lane the engine and its BLAS use
 * no further threads. For work on many small matrices that is faster than many threads on one matrix after the other: nobody
 * waits for anybody, and what a thread works on stays in the cache of its core.
 *
 * <p>A lane that is done takes the next task, since cores are rarely equally fast. Which lane runs a task must therefore not
 * matter to its result: what tasks add up, they add up by {@link #task}.
 *
 * <p>The threads are started once and shared by the whole process: with {@link Blas} the one static mutable state of the
 * libraries. They are as many as the engine has threads, and that number is a global of the process; a pool for every owner would
 * start more threads than there are cores.
 */
public final class CpuWorkers {

    static {
        Natives.unpack();
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

    /** Whether this thread is at a task. */
    public static boolean insideTask() {
        return TASK.get() != NONE;
    }

    /** The number of the task that this thread is at. */
    public static int task() {
        int task = TASK.get();
        if (task == NONE) {
            throw new IllegalStateException("this thread is not at a task of a lane");
        }
        return task;
    }

    /**
     * Runs work(0), …, work(tasks − 1), as many at a time as there are lanes, and returns when all are done. If several fail,
     * the first failure is thrown and carries the others; lanes take no further tasks after a failure of their own.
     */
    public static void run(int tasks, IntConsumer work) {
        int lanes = Math.min(count(), tasks);
        AtomicInteger next = new AtomicInteger();
        Runnable lane = () -> {
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
        if (lanes == 1) {
            lane.run();
            return;
        }
        awaitAll(threads(lanes).stream()
                .<Future<?>>map(thread -> thread.submit(lane))
                .toList());
    }

    private static void awaitAll(List<Future<?>> running) {
        Throwable failure = null;
        for (Future<?> lane : running) {
            try {
                Futures.result(lane);
            } catch (RuntimeException | Error failed) {
                if (failure == null) {
                    failure = failed;
                } else {
                    failure.addSuppressed(failed);
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

    private static synchronized List<ExecutorService> threads(int lanes) {
        if (THREADS.size() < lanes) {
            Blas.oneThread();
            int engineThreads = torch.get_num_threads();
            while (THREADS.size() < lanes) {
                THREADS.add(start(THREADS.size()));
            }
            // A lane's own setting became the default of threads to come: put the engine's back.
            torch.set_num_threads(engineThreads);
        }
        return List.copyOf(THREADS.subList(0, lanes));
    }

    private static ExecutorService start(int number) {
        ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
            Thread lane = new Thread(work, "gramian-lane-" + number);
            lane.setDaemon(true);
            return lane;
        });
        Runnable alone = () -> {
            // Asking first: the engine gives a thread its default when it first asks, and would undo the setting.
            torch.get_num_threads();
            torch.set_num_threads(1);
        };
        Futures.result(thread.submit(alone));
        return thread;
    }
}
