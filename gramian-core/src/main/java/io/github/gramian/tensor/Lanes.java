package io.github.gramian.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import org.bytedeco.pytorch.global.torch;

/**
 * CPU threads that work side by side, each on images of its own and each computing alone: inside a lane the engine and its
 * BLAS use no further threads. For work on many small matrices that is faster than many threads on one matrix after the
 * other: nobody waits for anybody, and what a thread works on stays in the cache of its core.
 *
 * <p>Lane i is always the same thread. What a lane computes depends on its number and on the number of lanes, never on
 * which of them is faster.
 */
public final class Lanes {

    static {
        Natives.unpack();
    }

    private static final int OUTSIDE = -1;
    private static final ThreadLocal<Integer> NUMBER = ThreadLocal.withInitial(() -> OUTSIDE);
    private static final List<ExecutorService> THREADS = new ArrayList<>();

    private Lanes() {}

    /** As many as the engine has threads; 1 inside a lane. */
    public static int count() {
        return isLane() ? 1 : torch.get_num_threads();
    }

    /** Whether this thread is a lane. */
    public static boolean isLane() {
        return NUMBER.get() != OUTSIDE;
    }

    /** The number of the lane that this thread is; 0 outside of lanes. */
    public static int number() {
        return Math.max(0, NUMBER.get());
    }

    /**
     * Runs work(0), …, work(lanes − 1) side by side, and returns when all are done. A single one runs on the calling thread.
     * If several fail, the first failure is thrown and carries the others.
     */
    public static void run(int lanes, IntConsumer work) {
        if (lanes == 1 || isLane()) {
            for (int lane = 0; lane < lanes; lane++) {
                work.accept(lane);
            }
            return;
        }
        List<ExecutorService> threads = threads(lanes);
        List<Future<?>> running = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) {
            int number = lane;
            running.add(threads.get(lane).submit(() -> work.accept(number)));
        }
        awaitAll(running);
    }

    private static void awaitAll(List<Future<?>> running) {
        Throwable failure = null;
        boolean interrupted = false;
        for (Future<?> lane : running) {
            // Even when interrupted: what lanes write to must not go away under them.
            for (boolean done = false; !done; ) {
                try {
                    lane.get();
                    done = true;
                } catch (InterruptedException waitOn) {
                    interrupted = true;
                } catch (ExecutionException failed) {
                    done = true;
                    if (failure == null) {
                        failure = failed.getCause();
                    } else {
                        failure.addSuppressed(failed.getCause());
                    }
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure; // an IntConsumer throws nothing else
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
        Callable<Void> alone = () -> {
            NUMBER.set(number);
            torch.set_num_threads(1);
            return null;
        };
        awaitAll(List.of(thread.submit(alone)));
        return thread;
    }
}
