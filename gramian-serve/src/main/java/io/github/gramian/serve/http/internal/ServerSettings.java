package io.github.gramian.serve.http.internal;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.http.internal.Tls.TlsFiles;
import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.ModelSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * All settings of a server.
 *
 * @param models to serve, at least one
 * @param address where it listens
 * @param batch how images are collected
 * @param http what clients may take
 * @param images what an image may cost
 * @param access which clients have access, and how
 * @param features optional features
 */
public record ServerSettings(
        List<ModelSpec> models,
        Address address,
        BatchLimits batch,
        HttpLimits http,
        ImageLimits images,
        Access access,
        Features features) {

    public ServerSettings {
        models = List.copyOf(models);
    }

    /**
     * Where it listens.
     *
     * @param port 0 for one that the system chooses
     */
    public record Address(String host, int port) {

        public Address {
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("port must lie in 0..65535 but is " + port);
            }
        }
    }

    /**
     * Which clients have access.
     *
     * @param keys file of API keys; without it, any client that reaches the port
     * @param tls without it requests are not encrypted
     * @param hosts names in {@code Host} that it answers for, besides localhost and IP addresses; if there are none, it checks
     *     names only if it listens on a loopback address
     * @param origins of pages of other sites that may send requests, such as {@code https://app.example.com}
     */
    public record Access(Optional<Path> keys, Optional<TlsFiles> tls, List<String> hosts, List<String> origins) {

        private static final Pattern HOST = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");
        private static final Pattern ORIGIN = Pattern.compile("https?://(" + HOST + "|\\[[0-9a-f:.]+])(:[0-9]{1,5})?");

        public Access {
            hosts = checked(hosts, HOST, "hosts", "a host name without scheme and port, such as gramian.example.com");
            origins = checked(origins, ORIGIN, "origins", "scheme and host, such as https://app.example.com");
        }

        /** Without further hosts and origins. */
        public Access(Optional<Path> keys, Optional<TlsFiles> tls) {
            this(keys, tls, List.of(), List.of());
        }

        private static List<String> checked(List<String> values, Pattern form, String setting, String expected) {
            List<String> lower =
                    values.stream().map(value -> value.toLowerCase(Locale.ROOT)).toList();
            for (String value : lower) {
                if (!form.matcher(value).matches()) {
                    throw new IllegalArgumentException(
                            "an entry of " + setting + " is " + expected + ", not '" + value + "'");
                }
            }
            return lower;
        }
    }

    /**
     * Optional features.
     *
     * @param page at {@code /}
     * @param watch whether a model is loaded again when its file is replaced
     * @param load whether clients may ask for that
     * @param drain time from the signal to end until connections are refused
     * @param index that {@code /similar} searches
     * @param photographs directory of the photographs of the index, of which the page shows small copies
     */
    public record Features(
            boolean page,
            boolean watch,
            boolean load,
            Duration drain,
            Optional<Path> index,
            Optional<Path> photographs) {

        public Features {
            if (drain.isNegative() || drain.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("drainSeconds must lie in 0..3600 but is " + drain.toSeconds());
            }
            if (photographs.isPresent() && index.isEmpty()) {
                throw new IllegalArgumentException("--index-photos needs --index");
            }
        }

        /** Without an index. */
        public Features(boolean page, boolean watch, boolean load, Duration drain) {
            this(page, watch, load, drain, Optional.empty(), Optional.empty());
        }
    }

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
}
