package io.github.gramian.parallel;

import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;

/**
 * The processes of a training and the place of this one among them. Nothing is opened here: a world can be printed, sent
 * and compared; {@link Peers#join} brings it to life.
 *
 * @param rank number of this process, from 0; the first one leads
 * @param size processes in all
 * @param host of the store where they meet, kept by the first process: a name or address of its machine that all others
 *     can reach; empty for a process alone
 * @param port of the store; 0 for a process alone
 * @param timeout after which an exchange that does not come about is given up. A process that dies is noticed at once; this
 *     is for machines that fall silent, and must be longer than what the first process does alone (features, fits)
 */
public record World(int rank, int size, String host, int port, Duration timeout) {

    private static final Duration USUAL_TIMEOUT = Duration.ofMinutes(30);
    private static final World ALONE = new World(0, 1, "", 0, USUAL_TIMEOUT);
    private static final int LARGEST = 1024;

    public World {
        if (size < 1 || size > LARGEST) {
            throw new IllegalArgumentException("a world has 1 to " + LARGEST + " processes but is given " + size);
        }
        if (rank < 0 || rank >= size) {
            throw new IllegalArgumentException("the rank must lie in 0.." + (size - 1) + " in a world of " + size
                    + " processes but is " + rank + "; ranks count from 0");
        }
        if (size > 1 && host.isBlank()) {
            throw new IllegalArgumentException(
                    "several processes need a place to meet; name the machine of rank 0 and a free port of it");
        }
        if (size > 1 && (port < 1 || port > 65535)) {
            throw new IllegalArgumentException("the port of the store must lie in 1..65535 but is " + port);
        }
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(Duration.ofDays(7)) > 0) {
            throw new IllegalArgumentException(
                    "the timeout must lie between a second and a week but is " + timeout.toSeconds() + " seconds");
        }
    }

    /** One process that needs nobody. */
    public static World alone() {
        return ALONE;
    }

    /**
     * One of several processes that meet at a store.
     *
     * @param store {@code host:port}
     */
    public static World at(String store, int rank, int size) {
        int colon = store.lastIndexOf(':');
        String digits = store.substring(colon + 1);
        if (colon < 1 || !digits.matches("\\d{1,5}")) {
            throw new IllegalArgumentException(
                    "the store must be given as host:port, such as 10.0.0.1:29400, but is '" + store + "'");
        }
        String host = store.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return new World(
                rank,
                size,
                bracketed ? host.substring(1, host.length() - 1) : host,
                Integer.parseInt(digits),
                USUAL_TIMEOUT);
    }

    /** The same with another timeout. */
    public World waiting(Duration time) {
        return new World(rank, size, host, port, time);
    }

    /** Whether this is the process that writes files and decides. */
    public boolean leads() {
        return rank == 0;
    }

    /** Whether there is nobody else. */
    public boolean isAlone() {
        return size == 1;
    }

    /** What this process takes of some things; all processes together take each of them once. */
    public Share share(int things) {
        return Share.of(things, rank, size);
    }

    /** A port of this machine that is free now, for a store on it. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
