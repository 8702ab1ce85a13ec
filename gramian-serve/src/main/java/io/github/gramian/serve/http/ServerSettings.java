package io.github.gramian.serve.http;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.batch.BatchLimits;
import io.github.gramian.serve.model.ModelSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All settings of a server.
 *
 * @param models to serve, at least one
 * @param address where it listens
 * @param batch how images are collected
 * @param http what clients may take
 * @param images what an image may cost
 * @param access who may come, and how
 * @param features what is there besides
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
     * Who may come.
     *
     * @param keys a file; without it everyone who reaches the port
     * @param tls without it requests are not encrypted
     */
    public record Access(Optional<Path> keys, Optional<TlsFiles> tls) {}

    /**
     * What is there besides.
     *
     * @param page at {@code /}
     * @param watch whether a model is loaded again when its file is replaced
     * @param load whether clients may ask for that
     * @param drain from the wish to end until connections are refused
     */
    public record Features(boolean page, boolean watch, boolean load, Duration drain) {

        public Features {
            if (drain.isNegative() || drain.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("drainSeconds must lie in 0..3600 but is " + drain.toSeconds());
            }
        }
    }
}
