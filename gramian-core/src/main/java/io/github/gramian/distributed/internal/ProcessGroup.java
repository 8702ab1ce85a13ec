package io.github.gramian.distributed.internal;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.distributed.internal.ProcessGroup.PendingCollective;
import io.github.gramian.io.internal.ParallelWork;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * The process group of a training. Every method is a collective exchange in which all processes take part: they must call
 * the same methods in the same order with tensors of the same shapes. Results are the same in all of them, bit for bit.
 *
 * <p>Belongs to one thread.
 */
public sealed interface ProcessGroup extends AutoCloseable permits ProcessGroup.SingleProcess, GlooProcessGroup {

    /**
     * Joins the group; returns when all processes are connected.
     *
     * @param device of the tensors that will be exchanged
     * @throws ProcessLostException if others do not join in time
     */
    static ProcessGroup join(DistributedConfig distributed, String device) {
        if (distributed.isSingleProcess()) {
            return new SingleProcess();
        }
        if (!device.equals("cpu")) {
            throw new IllegalArgumentException(
                    "several processes can train on CPUs only (through Gloo) so far, not on '" + device
                            + "'; set backbone.device=cpu, or train in one process");
        }
        return GlooProcessGroup.join(distributed);
    }

    DistributedConfig distributed();

    /** Starts to replace each tensor by the sum of those of all processes; dense tensors only. */
    PendingCollective sum(List<Tensor> tensors);

    /** Replaces tensors by those of the first process; dense tensors only. */
    void broadcast(List<Tensor> tensors);

    /** Seconds that this process has spent waiting for exchanges: for the network, and for slower processes. */
    double secondsWaited();

    /**
     * What a process does by itself.
     *
     * @param <T> type of the result
     */
    @FunctionalInterface
    interface Task<T> {
        T run() throws IOException;
    }

    /**
     * Lets every process do something by itself, each for as long as it takes, and returns when all are done. The task must
     * not use the process group.
     *
     * @throws ProcessLostException if another process dies, stops responding or fails meanwhile
     */
    default <T> T independently(Task<T> task) throws IOException {
        if (distributed().isSingleProcess()) {
            return task.run();
        }
        try (Heartbeat beat = Heartbeat.start(this)) {
            T result = task.run();
            beat.finish();
            return result;
        }
    }

    /** The sum of each value over all processes. */
    default double[] sum(double... values) {
        if (distributed().isSingleProcess()) {
            return values;
        }
        try (Scope scope = Scope.open()) {
            Tensor tensor = TensorBytes.allocate(TensorType.F64, values.length);
            tensor.data_ptr_double().put(values);
            sum(List.of(tensor)).await();
            double[] sums = new double[values.length];
            tensor.data_ptr_double().get(sums);
            return sums;
        }
    }

    /** The number of each process, by rank. */
    default double[] gather(double number) {
        double[] places = new double[distributed().size()];
        places[distributed().rank()] = number;
        return sum(places);
    }

    /** The first process whose number is not that of process 0; empty where all have the same. */
    default OptionalInt firstDifferent(double number) {
        double[] all = gather(number);
        return IntStream.range(1, all.length)
                .filter(rank -> all[rank] != all[0])
                .findFirst();
    }

    /** The value of the first process. */
    default boolean asFirst(boolean own) {
        return sum(distributed().leads() && own ? 1 : 0)[0] > 0;
    }

    /** Whether the value is true in any process. */
    default boolean any(boolean own) {
        return sum(own ? 1 : 0)[0] > 0;
    }

    /** A barrier: returns when all processes have called it. */
    default void meet() {
        sum(0);
    }

    /** The bytes of the first process; what others pass does not matter. */
    default byte[] broadcast(byte[] bytes) {
        if (distributed().isSingleProcess()) {
            return bytes;
        }
        int length = (int) sum(distributed().leads() ? bytes.length : 0)[0];
        byte[] received = new byte[length];
        if (length > 0) {
            try (Scope scope = Scope.open()) {
                Tensor tensor = TensorBytes.allocate(TensorType.U8, length);
                ByteBuffer memory = TensorBytes.memory(tensor);
                if (distributed().leads()) {
                    memory.put(bytes);
                }
                broadcast(List.of(tensor));
                TensorBytes.memory(tensor).get(received);
            }
        }
        return received;
    }

    /** Leaves the group; later exchanges of the others throw a {@link ProcessLostException}. */
    @Override
    void close();

    /** An exchange in progress: do not touch its tensors until it is over. */
    @FunctionalInterface
    interface PendingCollective {

        /**
         * Returns when the tensors hold the result.
         *
         * @throws ProcessLostException if another process does not take part any more
         */
        void await();

        /** Nothing to wait for. */
        static PendingCollective none() {
            return () -> {};
        }
    }

    /** The group of a single process: exchanges do nothing. */
    record SingleProcess() implements ProcessGroup {

        @Override
        public DistributedConfig distributed() {
            return DistributedConfig.singleProcess();
        }

        @Override
        public PendingCollective sum(List<Tensor> tensors) {
            return PendingCollective.none();
        }

        @Override
        public void broadcast(List<Tensor> tensors) {}

        @Override
        public double secondsWaited() {
            return 0;
        }

        @Override
        public void close() {}
    }

    /**
     * A heartbeat every second between processes, until each has finished its own work. That work may take any time: only a
     * process that dies or stops responding is noticed. Meanwhile only the heartbeat's thread uses the process
     * group.
     */
    static final class Heartbeat implements AutoCloseable {

        private static final Duration LONGEST = Duration.ofSeconds(1);

        private final ProcessGroup group;
        private final Duration period;
        private final CountDownLatch done = new CountDownLatch(1);
        private final CompletableFuture<Void> over = new CompletableFuture<>();
        private final Thread thread = new Thread(this::beat, "gramian-heartbeat");
        private volatile boolean given;

        private Heartbeat(ProcessGroup group) {
            this.group = group;
            Duration quarter = group.distributed().timeout().dividedBy(4);
            this.period = quarter.compareTo(LONGEST) < 0 ? quarter : LONGEST;
            thread.setDaemon(true);
        }

        static Heartbeat start(ProcessGroup group) {
            Heartbeat beat = new Heartbeat(group);
            beat.thread.start();
            return beat;
        }

        private void beat() {
            try {
                boolean own = false;
                while (!given) {
                    own = own || done.await(period.toMillis(), TimeUnit.MILLISECONDS);
                    if (!given
                            && group.sum(own ? 1 : 0)[0] == group.distributed().size()) {
                        break;
                    }
                }
                over.complete(null);
            } catch (Throwable failure) { // whatever it is, it belongs to the thread that waits
                over.completeExceptionally(failure);
            }
        }

        /** This process is done; returns when all are. */
        void finish() {
            done.countDown();
            ParallelWork.result(over);
        }

        /** Ends the heartbeat, also in the middle of the work; the others then notice that this process is missing. */
        @Override
        public void close() {
            given = true;
            done.countDown();
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true; // the thread uses memory that is freed after this
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
