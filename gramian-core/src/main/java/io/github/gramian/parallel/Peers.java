package io.github.gramian.parallel;

import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.TensorBytes;
import io.github.gramian.tensor.TensorType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;

/**
 * The other processes of a world. Every method is an exchange in which all processes take part: they must call the same
 * methods in the same order with tensors of the same shapes. What comes out is the same in all of them, bit for bit.
 *
 * <p>Belongs to one thread.
 */
public sealed interface Peers extends AutoCloseable permits Alone, GlooPeers {

    /**
     * Meets the others; returns when all are there.
     *
     * @param device of the tensors that will be exchanged
     * @throws PeerLostException if they do not come
     */
    static Peers join(World world, String device) {
        if (world.isAlone()) {
            return new Alone();
        }
        if (!device.equals("cpu")) {
            throw new IllegalArgumentException(
                    "several processes can train on CPUs only (through Gloo) so far, not on '" + device
                            + "'; set backbone.device=cpu, or train in one process");
        }
        return GlooPeers.join(world);
    }

    /** Who takes part. */
    World world();

    /** Begins to replace each tensor by the sum of those of all processes; dense tensors only. */
    Exchange sum(List<Tensor> tensors);

    /** Replaces tensors by those of the first process; dense tensors only. */
    void broadcast(List<Tensor> tensors);

    /** Seconds that this process has spent waiting for exchanges: for the network, and for processes that came later. */
    double secondsWaited();

    /**
     * What a process does by itself.
     *
     * @param <T> what comes out
     */
    @FunctionalInterface
    interface Task<T> {
        T run() throws IOException;
    }

    /**
     * Lets every process do something by itself, each for as long as it takes, and returns when all are done. The task must not
     * use the peers.
     *
     * @throws PeerLostException if another process dies, falls silent or fails meanwhile
     */
    default <T> T inItsTime(Task<T> task) throws IOException {
        if (world().isAlone()) {
            return task.run();
        }
        try (Heartbeat beat = Heartbeat.start(this)) {
            T result = task.run();
            beat.finish();
            return result;
        }
    }

    /** The sum of each number over all processes. */
    default double[] sum(double... numbers) {
        if (world().isAlone()) {
            return numbers;
        }
        try (Scope scope = Scope.open()) {
            Tensor tensor = TensorBytes.allocate(TensorType.F64, numbers.length);
            tensor.data_ptr_double().put(numbers);
            sum(List.of(tensor)).await();
            double[] sums = new double[numbers.length];
            tensor.data_ptr_double().get(sums);
            return sums;
        }
    }

    /** The number of each process, by rank. */
    default double[] gather(double number) {
        double[] places = new double[world().size()];
        places[world().rank()] = number;
        return sum(places);
    }

    /** The first process whose number is not that of process 0; empty where all have the same. */
    default OptionalInt firstUnlike(double number) {
        double[] all = gather(number);
        return IntStream.range(1, all.length)
                .filter(rank -> all[rank] != all[0])
                .findFirst();
    }

    /** Whether the first process says so. */
    default boolean asFirst(boolean own) {
        return sum(world().leads() && own ? 1 : 0)[0] > 0;
    }

    /** Whether any process says so. */
    default boolean any(boolean own) {
        return sum(own ? 1 : 0)[0] > 0;
    }

    /** Returns when all processes have come here. */
    default void meet() {
        sum(0);
    }

    /** The bytes of the first process; what others pass does not matter. */
    default byte[] broadcast(byte[] bytes) {
        if (world().isAlone()) {
            return bytes;
        }
        int length = (int) sum(world().leads() ? bytes.length : 0)[0];
        byte[] received = new byte[length];
        if (length > 0) {
            try (Scope scope = Scope.open()) {
                Tensor tensor = TensorBytes.allocate(TensorType.U8, length);
                ByteBuffer memory = TensorBytes.memory(tensor);
                if (world().leads()) {
                    memory.put(bytes);
                }
                broadcast(List.of(tensor));
                TensorBytes.memory(tensor).get(received);
            }
        }
        return received;
    }

    /** Leaves; others that still want something get a {@link PeerLostException}. */
    @Override
    void close();
}
