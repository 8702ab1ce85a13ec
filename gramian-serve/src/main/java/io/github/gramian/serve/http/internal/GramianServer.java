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
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.GracefulHandler;

/**
 * A server that answers requests for predictions over HTTP: Jetty, models, batches, and the upkeep of files
 * that may change.
 */
public final class GramianServer implements AutoCloseable {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");
    private static final long UPKEEP_MILLIS = 1000;

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
    /** Why the index could not be opened again; of the thread of the upkeep. */
    private String indexFailure = "";

    private final AtomicLong upkeepRounds = new AtomicLong();
    private final ScheduledExecutorService upkeep = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "upkeep");
        thread.setDaemon(true);
        return thread;
    });

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
                routes(), new Admission(RequestSources.of(settings), keys), settings.http(), budget, metrics, state);
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
        var unused = server.upkeep.scheduleWithFixedDelay(
                server::keepUp, UPKEEP_MILLIS, UPKEEP_MILLIS, TimeUnit.MILLISECONDS);
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
                settings.features(),
                jetty.getThreadPool());
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
        return upkeepRounds.get();
    }

    private void keepUp() {
        attempt("slow connections were not closed", connections::sweep);
        attempt("the old keys remain in use", () -> {
            if (keys.isPresent() && keys.get().refresh()) {
                LOG.log(Level.INFO, "the keys were read again");
            }
        });
        attempt("the old certificate remains in use", () -> {
            if (tls.isPresent() && tls.get().refresh()) {
                LOG.log(Level.INFO, "the certificate was read again");
            }
        });
        if (settings.features().watch()) {
            attempt("the old models remain in use", () -> models.reloadReplaced(new Reloads()));
        }
        index.ifPresent(this::refresh);
        upkeepRounds.incrementAndGet();
    }

    /** A failure that lasts is logged once, since it is tried again every second. */
    private void refresh(ServedIndex served) {
        try {
            if (served.refresh()) {
                LOG.log(Level.INFO, "the index was opened again, with " + served.count() + " photographs");
            }
            indexFailure = "";
        } catch (IOException | RuntimeException failure) {
            String reason = Failure.of(failure).line();
            if (!reason.equals(indexFailure)) {
                LOG.log(Level.WARNING, "the old index remains in use: " + reason);
            }
            indexFailure = reason;
        }
    }

    /** A part of the upkeep. */
    private interface Duty {
        void run() throws IOException;
    }

    /** If one duty fails, the others and the next round continue: the scheduler would drop a task that throws. */
    private static void attempt(String otherwise, Duty duty) {
        try {
            duty.run();
        } catch (IOException | RuntimeException | Error failure) {
            LOG.log(Level.WARNING, otherwise + ": " + Failure.of(failure).line());
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

    /** Accepts no more connections, answers pending requests, and frees everything. */
    @Override
    public void close() {
        state.drain();
        upkeep.shutdown();
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
