package io.github.gramian.serve.http.internal;

import java.time.Duration;

/**
 * Limits on what HTTP clients may send and hold.
 *
 * @param connections at once; if there are more, idle ones are closed
 * @param pixelPasses estimated work of decoding all images of a request; one takes about 3 ns on one core
 */
public record HttpLimits(Sizes sizes, int connections, Times times, long pixelPasses) {

    public HttpLimits {
        require(connections, 1, 1 << 20, "limits.connections");
        require(pixelPasses, 1, Long.MAX_VALUE, "limits.pixelPasses");
    }

    /**
     * Limits on memory.
     *
     * @param bodyBytes of the body of a request
     * @param memoryBytes of the bodies of all requests together
     * @param headerBytes of the header of a request
     */
    public record Sizes(int bodyBytes, long memoryBytes, int headerBytes) {

        public Sizes {
            require(bodyBytes, 1024, 1 << 30, "limits.bodyBytes");
            require(memoryBytes, bodyBytes, Long.MAX_VALUE, "limits.memoryBytes");
            require(headerBytes, 1024, 1 << 20, "limits.headerBytes");
        }
    }

    /**
     * Limits on time.
     *
     * @param receive for a request to arrive in full, from its first byte
     * @param idle for a connection on which nothing happens
     * @param deadline from a request's arrival to the start of the network
     */
    public record Times(Duration receive, Duration idle, Duration deadline) {

        public Times {
            require(receive.toMillis(), 100, 3_600_000, "limits.receiveMillis");
            require(idle.toMillis(), 100, 3_600_000, "limits.idleMillis");
            require(deadline.toMillis(), 1, 3_600_000, "deadlineMillis");
        }
    }

    private static void require(long value, long min, long max, String name) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " must lie in " + min + ".." + (max == Long.MAX_VALUE ? "" : max) + " but is " + value);
        }
    }
}
