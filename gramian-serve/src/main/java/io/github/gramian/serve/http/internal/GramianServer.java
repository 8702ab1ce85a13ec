package io.github.gramian.serve.http.internal;

import io.github.gramian.cli.common.Failure;
import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.serve.http.internal.RequestContext.ByteBudget;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.inference.internal.InferencePipeline;
import io.github.gramian.serve.inference.internal.ModelRepository;
import io.github.gramian.serve.inference.internal.ModelSpec;
import io.github.gramian.serve.inference.internal.ServedIndex;
import io.github.gramian.serve.inference.internal.ServerMetrics;
import io.github.gramian.serve.inference.internal.ServerMetrics.RequestStage;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * A server that answers requests for predictions over HTTP: Jetty, models, batches, and the upkeep of files
 * that may change.
 */
public final class GramianServer implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");

    /** After which the log reports that a file has not been read: small files, and large ones. */
    private static final Duration READING = Duration.ofSeconds(10);

    private static final Duration LOADING = Duration.ofMinutes(2);

    /** Answers in flight get this much beyond their deadline when the server ends. */
    private static final Duration BEYOND_DEADLINE = Duration.ofSeconds(10);

    /** For each of the last steps: writing answers, closing connections, freeing models. */
    private static final Duration LAST_STEP = Duration.ofSeconds(2);

    /** For requests that are on their way when the server accepts no more connections. */
    private static final Duration LAST_REQUESTS = Duration.ofSeconds(1);

    /** Requests at once on a connection of HTTP/2. */
    private static final int STREAMS = 64;

    private final ServerSettings settings;
    private final ServerMetrics metrics;
    private final ModelRepository models;
    private final InferencePipeline inference;
    private final Optional<ServedIndex> index;
    private final ByteBudget budget;
    private final Router router;
    private final Optional<ApiKeys> keys;
    private final Optional<Tls> tls;
    private final ConnectionLimits connections;
    private final Server jetty;
    private final ServerConnector connector;
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
        this.budget = new ByteBudget(settings.http().sizes().memoryBytes(), new AtomicLong());
        this.jetty = jetty();
        this.connector = connector();
        Router.Models served = new Router.Models(
                models,
                inference,
                index,
                settings.features().photographs(),
                settings.http().times().deadline(),
                jetty.getThreadPool());
        this.router = new Router(settings, keys, served, metrics, budget);
        jetty.addConnector(connector);
        jetty.setHandler(new GracefulHandler(connections.handler(router)));
        jetty.setErrorHandler(new Failures());
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

    private Server jetty() {
        int cores = Runtime.getRuntime().availableProcessors();
        QueuedThreadPool threads = new QueuedThreadPool(16 + 2 * cores);
        threads.setName("http");
        Executor virtual = VirtualThreads.getDefaultVirtualThreadsExecutor();
        if (virtual != null) {
            threads.setVirtualThreadsExecutor(virtual);
        }
        Server server = new Server(threads);
        server.setStopTimeout(lastAnswer().plus(LAST_STEP).toMillis());
        return server;
    }

    /** HTTP/1.1, and HTTP/2 where it is not encrypted. */
    private ServerConnector connector() {
        HttpLimits limits = settings.http();
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setRequestHeaderSize(limits.sizes().headerBytes());
        configuration.setIdleTimeout(limits.times().idle().toMillis());
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        ConnectionFactory[] protocols;
        if (tls.isPresent()) {
            // If it is missing, Jetty adds one that refuses every Host that the certificate does not name. Probes ask
            // for an IP address, and whether the name is right is the client's decision.
            configuration.addCustomizer(new SecureRequestCustomizer(false));
            protocols =
                    new ConnectionFactory[] {new SslConnectionFactory(tls.get().factory(), http.getProtocol()), http};
        } else {
            HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(configuration);
            http2.setMaxConcurrentStreams(STREAMS);
            http2.setStreamIdleTimeout(limits.times().idle().toMillis());
            protocols = new ConnectionFactory[] {http, http2};
        }
        // One acceptor and one selector are enough for requests that take the network milliseconds each.
        ServerConnector made = new ServerConnector(jetty, 1, 1, protocols);
        made.setHost(settings.address().host());
        made.setPort(settings.address().port());
        made.setIdleTimeout(limits.times().idle().toMillis());
        made.addBean(connections);
        return made;
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
                + connector.getLocalPort();
    }

    /** Bytes of bodies that are held now. */
    long bodyBytes() {
        return budget.taken().get();
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
                        () -> models.reloadReplaced(spec, this::onReload));
            }
        }
    }

    private void onReload(ModelSpec model, @Nullable Exception failure) {
        metrics.reloaded(model.name(), failure == null);
        if (failure == null) {
            LOG.log(Level.INFO, model + " was replaced");
        } else {
            LOG.log(
                    Level.WARNING,
                    "the old " + model + " remains in use; the new file: "
                            + Failure.of(failure).line());
        }
    }

    /**
     * Reports that it is not ready and answers requests for the drain period. Then it accepts no connections, gives those that
     * are open a moment for the requests that are on their way, answers them, and ends. Jetty's own stop would refuse them.
     */
    public void drain() throws InterruptedException {
        router.state().drain();
        TimeUnit.NANOSECONDS.sleep(settings.features().drain().toNanos());
        connector.close();
        long end = System.nanoTime() + LAST_REQUESTS.toNanos();
        while (!connector.getConnectedEndPoints().isEmpty() && System.nanoTime() < end) {
            Thread.sleep(5);
        }
        close();
    }

    /** Time after which requests in progress are no longer waited for when the server ends. */
    private Duration lastAnswer() {
        return settings.http().times().deadline().plus(BEYOND_DEADLINE);
    }

    /** The longest time that {@link #drain} should take, whatever hangs. */
    public Duration longestEnd() {
        return settings.features().drain().plus(lastAnswer()).plus(LAST_STEP.multipliedBy(3));
    }

    /** Accepts no more connections, answers pending requests, and frees everything. */
    @Override
    public void close() {
        router.state().drain();
        router.state().endAfter(lastAnswer());
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

    /** Counts every request that has ended and writes a line of JSON about it. Keys and queries are not written. */
    private static final class AccessLog implements RequestLog {

        private static final int MAX_PATH = 256;

        private final ServerMetrics metrics;
        private final Consumer<String> lines;

        AccessLog(ServerMetrics metrics, Consumer<String> lines) {
            this.metrics = metrics;
            this.lines = lines;
        }

        @Override
        public void log(Request request, Response response) {
            int status = response.getStatus();
            long nanos = NanoTime.since(request.getBeginNanoTime());
            RequestContext context = RequestContext.of(request).orElse(null);
            String endpoint = context == null ? "unknown" : context.endpoint();
            metrics.answered(endpoint, status);
            if (context != null && status == 200 && !context.model().isEmpty()) {
                metrics.inferred(context.model(), nanos);
            }
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("time", Instant.now().toString());
            line.put("remote", Request.getRemoteAddr(request));
            line.put("method", request.getMethod());
            line.put("path", Text.shortened(String.valueOf(request.getHttpURI().getPath()), MAX_PATH));
            line.put("status", status);
            line.put("millis", Math.round(nanos / 1e3) / 1e3);
            line.put("bytesIn", Request.getContentBytesRead(request));
            line.put("bytesOut", Response.getContentBytesWritten(response));
            if (context != null && !context.model().isEmpty()) {
                line.put("model", context.model());
                line.put("images", context.images());
            }
            if (context != null && !context.key().isEmpty()) {
                line.put("key", context.key());
            }
            lines.accept(Json.text(line));
        }
    }
}
