package io.github.gramian.distributed;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several processes simulated by threads of one: the same sockets, a tenth of the time. */
public final class Ranks {

    private Ranks() {}

    /** The work of a process. */
    @FunctionalInterface
    public interface Work<T> {
        T run(DistributedConfig distributed) throws Exception;
    }

    /** Runs all to their ends; what they return or throw, by rank. */
    public static <T> List<Future<T>> settle(int size, Work<T> work) throws Exception {
        int port = DistributedConfig.freePort();
        ExecutorService threads = Executors.newFixedThreadPool(size);
        try {
            List<Future<T>> running = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                DistributedConfig distributed =
                        DistributedConfig.at("127.0.0.1:" + port, rank, size).waiting(Duration.ofSeconds(60));
                running.add(threads.submit(() -> work.run(distributed)));
            }
            for (Future<T> one : running) {
                try {
                    one.get();
                } catch (ExecutionException e) {
                    // the caller reads it from the future
                }
            }
            return running;
        } finally {
            threads.shutdownNow();
        }
    }

    /** The results of all processes; throws if any of them throws. */
    public static <T> List<T> run(int size, Work<T> work) throws Exception {
        List<T> results = new ArrayList<>();
        for (Future<T> one : settle(size, work)) {
            results.add(one.get());
        }
        return results;
    }
}
