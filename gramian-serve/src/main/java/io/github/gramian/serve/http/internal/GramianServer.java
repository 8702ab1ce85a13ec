package io.github.gramian.serve.http.internal;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.serve.decoding.internal.InferencePipeline;
import io.github.gramian.serve.metrics.internal.RequestStage;
import io.github.gramian.serve.metrics.internal.ServerMetrics;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ModelSpec;
import io.github.gramian.serve.model.internal.ServedIndex;
import io.github.gramian.serve.tls.internal.Tls;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;

/**
 * A server that answers requests for predictions over HTTP: Jetty, models, batches, and the upkeep of files
 * that may change.
 */
public final class GramianServer implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");

    /** After which the log reports that a file has not been read: small files, and large ones. */
    private static final Duration READING = Duration.ofSeconds(10);

    private static final Duration LOADING = Duration.ofMinutes(2);

    private final ServerSettings settings;
    private final ServerMetrics metrics;
    private final ModelRepository models;
    private final InferencePipeline inference;
    private final Optional<ServedIndex> index;
    private final ServerState state = new ServerState();
    private final ByteBudget budget;
    private final Optional<ApiKeys> keys;
    private final Optional<Tls> tls;
    private final ConnectionLimits connections;
    private final Server jetty;
    private final Upkeep upkeep = new Upkeep();

    private GramianServer(
            ServerSettings settings, Optional<ApiKeys> keys, Optional<Tls> tls, Consumer<String> accessLog)
            throws IOException {
        this.settings = settings;
        this.keys = keys;
        this.tls = tls;
        this.metrics = new ServerMetrics();
        this.models =
                ModelRepository.load(settings.models(), settings.batch(), spec -> metrics.batches(spec.toString()));
        models.all().forEach(first -> {
            ModelSpec spec = first.spec();
            metrics.queue(spec.toString(), () -> models.waiting(spec));
        });
        this.index = openIndex();
        this.inference =
                new InferencePipeline(settings.images(), settings.http().pixelPasses(), metrics);
        this.connections = new ConnectionLimits(settings.http(), metrics);
        this.budget = new ByteBudget(settings.http().sizes().memoryBytes());
        this.jetty = JettyServer.of(settings, tls, connections);
        RequestHandler calls = new RequestHandler(
                routes(),
                new RequestHandler.Admission(RequestSources.of(settings), keys),
                settings.http(),
                budget,
                metrics,
                state);
        jetty.setHandler(new GracefulHandler(new ConnectionHandler(calls, connections)));
        jetty.setErrorHandler(new JsonErrors());
        jetty.setRequestLog(new AccessLog(metrics, accessLog));
    }

    /**
     * Reads all files, loads and warms up all models, and listens.
     *
     * @param accessLog gets a line of JSON for each request
     */
    public static GramianServer start(ServerSettings settings, Consumer<String> accessLog) throws IOException {
        GramianServer server = prepare(settings, accessLog);
        try {
            server.jetty.start();
        } catch (IOException failure) {
            server.close();
            if (failure instanceof BindException || failure.getCause() instanceof BindException) {
                throw new IllegalArgumentException(
                        "cannot listen at " + settings.address().host() + ":"
                                + settings.address().port() + " (" + failure.getMessage()
                                + "); stop the other program, or choose another --port",
                        failure);
            }
            throw failure;
        } catch (Exception failure) {
            server.close();
            throw new IOException("the server cannot start: " + failure.getMessage(), failure);
        }
        server.keepUp();
        return server;
    }

    /** Everything but listening: what a check does. */
    public static GramianServer prepare(ServerSettings settings, Consumer<String> accessLog) throws IOException {
        // Files first: they are quick, and models are not.
        Optional<ApiKeys> keys = settings.access().keys().isPresent()
                ? Optional.of(ApiKeys.of(settings.access().keys().get()))
                : Optional.empty();
        Optional<Tls> tls = settings.access().tls().isPresent()
                ? Optional.of(new Tls(settings.access().tls().get()))
                : Optional.empty();
        return new GramianServer(settings, keys, tls, accessLog);
    }

    private Optional<ServedIndex> openIndex() throws IOException {
        Optional<Path> path = settings.features().index();
        if (path.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(ServedIndex.open(
                    path.get(),
                    models.all(),
                    (model, nanos) -> metrics.stage(RequestStage.SEARCH, model.toString(), nanos)));
        } catch (IOException | RuntimeException failure) {
            models.close();
            throw failure;
        }
    }

    private Routes routes() {
        HttpLimits limits = settings.http();
        return new Routes(
                models,
                metrics,
                state,
                new Routes.Images(
                        new InferEndpoint(
                                models,
                                inference,
                                index,
                                settings.images(),
                                limits.times().deadline(),
                                jetty.getThreadPool()),
                        new PhotoEndpoint(
                                models, inference, index, limits.times().deadline(), jetty.getThreadPool()),
                        new ExplainEndpoint(models, inference, limits.times().deadline(), jetty.getThreadPool()),
                        index),
                settings.features());
    }

    public ModelRepository models() {
        return models;
    }

    /** The index of photographs, if it has one. */
    public Optional<ServedIndex> index() {
        return index;
    }

    /** Where it listens, such as {@code http://127.0.0.1:8080}. */
    public String address() {
        String host = settings.address().host();
        return (tls.isPresent() ? "https://" : "http://") + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + JettyServer.port(jetty);
    }

    /** Bytes of bodies that are held now. */
    long bodyBytes() {
        return budget.taken();
    }

    /** Number of completed rounds of upkeep. */
    long upkeepRounds() {
        return upkeep.rounds();
    }

    /** Starts what looks after connections and files while the server runs. */
    private void keepUp() {
        upkeep.start("connections", READING, "slow connections were not closed", connections::sweep);
        keys.ifPresent(used -> upkeep.start("keys", READING, "the old keys remain in use", () -> {
            if (used.refresh()) {
                LOG.log(Level.INFO, "the keys were read again");
            }
        }));
        tls.ifPresent(used -> upkeep.start("certificate", READING, "the old certificate remains in use", () -> {
            if (used.refresh()) {
                LOG.log(Level.INFO, "the certificate was read again");
            }
        }));
        index.ifPresent(served -> upkeep.start("index", LOADING, "the old index remains in use", () -> {
            if (served.refresh()) {
                LOG.log(Level.INFO, "the index was opened again, with " + served.count() + " photographs");
            }
        }));
        if (settings.features().watch()) {
            for (ModelSpec spec : settings.models()) {
                upkeep.start(
                        "model-" + spec,
                        LOADING,
                        "the old " + spec + " remains in use",
                        () -> models.reloadReplaced(spec, new Reloads()));
            }
        }
    }

    private final class Reloads implements ModelRepository.ReloadListener {

        @Override
        public void onReload(ModelSpec model) {
            metrics.reloaded(model.name(), true);
            LOG.log(Level.INFO, model + " was replaced");
        }

        @Override
        public void onFailure(ModelSpec model, Exception failure) {
            metrics.reloaded(model.name(), false);
            LOG.log(
                    Level.WARNING,
                    "the old " + model + " remains in use; the new file: "
                            + Failure.of(failure).line());
        }
    }

    /**
     * Reports that it is not ready and answers requests for the drain period. Then it accepts no connections, answers pending
     * requests, and ends.
     */
    public void drain() throws InterruptedException {
        state.drain();
        TimeUnit.NANOSECONDS.sleep(settings.features().drain().toNanos());
        JettyServer.closeDoor(jetty);
        close();
    }

    /** The longest time that {@link #drain} should take, whatever hangs. */
    public Duration longestEnd() {
        return settings.features().drain().plus(JettyServer.longestStop(settings.http()));
    }

    /** Accepts no more connections, answers pending requests, and frees everything. */
    @Override
    public void close() {
        state.drain();
        state.endAfter(JettyServer.lastAnswer(settings.http()));
        upkeep.close();
        try {
            jetty.stop();
        } catch (Exception failure) {
            LOG.log(Level.WARNING, "the server did not shut down cleanly", failure);
        }
        inference.close();
        models.close();
        index.ifPresent(served -> {
            try {
                served.close();
            } catch (IOException failure) {
                LOG.log(Level.WARNING, "the index was not closed", failure);
            }
        });
    }
}
