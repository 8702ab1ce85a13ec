package io.github.gramian.distributed;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;

/**
 * The processes of a distributed training and the rank of this one. Nothing is opened here: a configuration can be printed,
 * sent and compared; a training connects the processes when it starts.
 *
 * @param rank number of this process, from 0; rank 0 is the leader
 * @param size number of processes (world size)
 * @param meeting where they find each other
 * @param timeout after which a pending exchange fails. A process that dies is noticed at once; this
 *     is for machines that stop responding. Work that a process does alone (features, fits) may take longer, since the process
 *     sends heartbeats meanwhile
 */
public record DistributedConfig(int rank, int size, Rendezvous meeting, Duration timeout) {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(30);
    private static final DistributedConfig SINGLE_PROCESS =
            new DistributedConfig(0, 1, new Rendezvous.Nowhere(), DEFAULT_TIMEOUT);
    private static final int LARGEST = 1024;

    public DistributedConfig {
        if (size < 1 || size > LARGEST) {
            throw new IllegalArgumentException(
                    "a process group has 1 to " + LARGEST + " processes but is given " + size);
        }
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException("the rank must lie in 0.." + (size - 1) + " in a group of " + size
                    + " processes but is " + rank + "; ranks count from 0");
        }
        if (size > 1 && meeting instanceof Rendezvous.Nowhere) {
            throw new IllegalArgumentException(
                    "several processes need a place to meet; name the machine of rank 0 and a free port of it");
        }
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(Duration.ofDays(7)) > 0) {
            throw new IllegalArgumentException(
                    "the timeout must lie between a second and a week but is " + timeout.toSeconds() + " seconds");
        }
    }

    /** A single process. */
    public static DistributedConfig singleProcess() {
        return SINGLE_PROCESS;
    }

    /**
     * One of several processes that meet at a store.
     *
     * @param store {@code host:port}, or {@code file:/path} for processes of one machine
     */
    public static DistributedConfig at(String store, int rank, int size) {
        return new DistributedConfig(rank, size, Rendezvous.of(store), DEFAULT_TIMEOUT);
    }

    /** The same with another timeout. */
    public DistributedConfig waiting(Duration time) {
        return new DistributedConfig(rank, size, meeting, time);
    }

    /** Whether this is the process that writes files and decides. */
    public boolean leads() {
        return rank == 0;
    }

    /** Whether it is the only process. */
    public boolean isSingleProcess() {
        return size == 1;
    }

    /** A port of this machine that is free now, for a store on it. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
