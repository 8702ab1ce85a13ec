package io.github.gramian.serve.http;

import java.time.Duration;

/**
 * Limits on what HTTP clients may send and hold: sizes, connections, times.
 *
 * @param bodyBytes of a request
 * @param memoryBytes of the bodies of all requests together
 * @param headerBytes of a request
 * @param connections at once; if there are more, idle ones are closed
 * @param receive for a request to arrive in full, from its first byte
 * @param idle for a connection on which nothing happens
 * @param deadline from a request's arrival to the start of the network
 * @param pixelPasses estimated work of decoding all images of a request; one takes about 3 ns on one core
 */
public record HttpLimits(
        int bodyBytes,
        long memoryBytes,
        int headerBytes,
        int connections,
        Duration receive,
        Duration idle,
        Duration deadline,
        long pixelPasses) {

    public HttpLimits {
        require(bodyBytes, 1024, 1 << 30, "limits.bodyBytes");
        require(memoryBytes, bodyBytes, Long.MAX_VALUE, "limits.memoryBytes");
        require(headerBytes, 1024, 1 << 20, "limits.headerBytes");
        require(connections, 1, 1 << 20, "limits.connections");
        require(receive.toMillis(), 100, 3_600_000, "limits.receiveMillis");
        require(idle.toMillis(), 100, 3_600_000, "limits.idleMillis");
        require(deadline.toMillis(), 1, 3_600_000, "deadlineMillis");
        require(pixelPasses, 1, Long.MAX_VALUE, "limits.pixelPasses");
    }

    private static void require(long value, long least, long most, String name) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    name + " must lie in " + least + ".." + (most == Long.MAX_VALUE ? "" : most) + " but is " + value);
        }
    }
}
