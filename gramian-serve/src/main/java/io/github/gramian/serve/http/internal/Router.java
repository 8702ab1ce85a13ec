package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.InvalidInputException;
import io.github.gramian.cli.common.Failure;
import io.github.gramian.json.internal.Json;
import io.github.gramian.serve.http.internal.RequestContext.ByteBudget;
import io.github.gramian.serve.inference.internal.InferencePipeline;
import io.github.gramian.serve.inference.internal.ModelRepository;
import io.github.gramian.serve.inference.internal.ServedIndex;
import io.github.gramian.serve.inference.internal.ServerMetrics;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Between Jetty and the endpoints: finds the route, checks whether the request may use it, writes the answer. Holds no thread
 * meanwhile.
 *
 * <p>It refuses requests that a page of another site makes in a user's browser. Such a page reaches a server that listens for
 * this machine only, and needs no key if there are none. Two attacks are refused:
 *
 * <ul>
 *   <li>A page sends a form or a script's POST. The browser then states it in {@code Sec-Fetch-Site} and {@code Origin}.
 *   <li>A page's own name is made to point to this machine (DNS rebinding), so that the browser takes both for one site. The
 *       request then has an unknown name in {@code Host}. An IP address there is not part of such an attack.
 * </ul>
 *
 * <p>Programs other than browsers send none of these headers and are not concerned.
 */
final class Router extends Handler.Abstract.NonBlocking {

    private static final String HEALTH = "health";
    private static final String HEALTH_PATH = "/v2/health/";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final Pattern IP_ADDRESS = Pattern.compile("[0-9.]+|\\[[0-9a-f:.%]+]");
    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");

    /** Names in the metrics of statuses that mean that a request was turned away. */
    private static final Map<Integer, String> REJECTED = Map.ofEntries(
            entry(401, "key"),
            entry(403, "site"),
            entry(408, "slow"),
            entry(413, "size"),
            entry(415, "type"),
            entry(421, "host"),
            entry(429, "queue"),
            entry(503, "unavailable"),
            entry(504, "deadline"));

    private final ServerSettings settings;
    private final boolean checksHost;
    private final Optional<ApiKeys> keys;
    private final Models served;
    private final ServerMetrics metrics;
    private final ByteBudget budget;
    private final State state = new State();
    private final InferEndpoint infer;
    private final Map<String, Route> routes = new HashMap<>();

    /**
     * What requests are answered with.
     *
     * @param index the photographs that {@code /similar} searches
     * @param deadline from a request's arrival to the start of the network
     * @param threads on which answers are written, not on that of the batches
     */
    record Models(
            ModelRepository repository,
            InferencePipeline inference,
            Optional<ServedIndex> index,
            Optional<Path> photographs,
            Duration deadline,
            Executor threads) {}

    /** Answers calls of one address and method. It may throw whatever {@link Failures} knows. */
    interface Endpoint {

        /** Starts to answer; no thread waits for the end. */
        CompletableFuture<HttpResult> answer(RequestContext context);

        /** One that has its answer at once. */
        static Endpoint quick(Function<RequestContext, HttpResult> answer) {
            return context -> CompletableFuture.completedFuture(answer.apply(context));
        }
    }

    /**
     * The endpoint of one address.
     *
     * @param name for metrics
     * @param open whether no key is needed
     */
    private record Route(String name, boolean open, String method, Endpoint endpoint) {}

    /** Whether new requests should come here: ready until the server is asked to end, not while it drains. */
    static final class State {

        private volatile boolean draining;
        private final CompletableFuture<HttpResult> ended = new CompletableFuture<>();

        boolean ready() {
            return !draining;
        }

        void drain() {
            draining = true;
        }

        /** After this time, every request that has no answer yet gets one that says so. */
        void endAfter(Duration limit) {
            var unused = ended.completeOnTimeout(Failures.ended(), limit.toNanos(), TimeUnit.NANOSECONDS);
        }

        /** An answer, or the one of {@link #endAfter} if that comes first: no request hangs because its work does. */
        CompletableFuture<HttpResult> orEnded(CompletableFuture<HttpResult> answer) {
            return answer.applyToEither(ended, first -> first);
        }
    }

    /** Host names are checked if the server listens on a loopback address, or if the settings list some. */
    Router(ServerSettings settings, Optional<ApiKeys> keys, Models served, ServerMetrics metrics, ByteBudget budget)
            throws UnknownHostException {
        this.settings = settings;
        this.checksHost = !settings.access().hosts().isEmpty()
                || InetAddress.getByName(settings.address().host()).isLoopbackAddress();
        this.keys = keys;
        this.served = served;
        this.metrics = metrics;
        this.budget = budget;
        this.infer = new InferEndpoint(served, settings.images());
        PhotoEndpoint photo = new PhotoEndpoint(served);
        post("predict", "predict", photo::predict);
        post("describe", "describe", photo::describe);
        post("similar", "similar", photo::similar);
        post("explain", "explain", photo::explain);
        post("map", "map", photo::map);
        get("metrics", "metrics", context -> prometheus());
        open("openapi.json", "openapi", context -> HttpResult.page(Router.class, "openapi.json"));
        get("v2", "server", context -> HttpResult.ok(InferEndpoint.server()));
        open("v2/health/live", HEALTH, context -> HttpResult.ok(Map.of("live", true)));
        open("v2/health/ready", HEALTH, context -> readiness(Map.of("ready", state.ready())));
        if (settings.features().page()) {
            open("", "page", context -> HttpResult.page(Router.class, "index.html"));
            for (String file : List.of("page.css", "page.js", "icon.svg")) {
                open("page/" + file, "page", context -> HttpResult.page(Router.class, file));
            }
            post("page/reading", "page", photo::page);
            post("page/map", "page", photo::pageMap);
            get("page/status", "page", context -> status());
        }
    }

    private void post(String path, String name, Endpoint endpoint) {
        routes.put(path, new Route(name, false, "POST", endpoint));
    }

    private void get(String path, String name, Function<RequestContext, HttpResult> answer) {
        routes.put(path, new Route(name, false, "GET", Endpoint.quick(answer)));
    }

    private void open(String path, String name, Function<RequestContext, HttpResult> answer) {
        routes.put(path, new Route(name, true, "GET", Endpoint.quick(answer)));
    }

    State state() {
        return state;
    }

    /** Whether a decoded path is that of a health check, before its route is looked up. */
    static boolean isHealth(@Nullable String path) {
        return path != null && path.startsWith(HEALTH_PATH);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        RequestContext context = new RequestContext(request, settings.http(), budget);
        CompletableFuture<HttpResult> answer;
        try {
            answer = state.orEnded(answer(context));
        } catch (RuntimeException | Error failure) {
            answer = CompletableFuture.failedFuture(failure);
        }
        Executor threads = answer.isDone() ? Runnable::run : getServer().getThreadPool();
        var unused = answer.whenCompleteAsync(
                (done, failure) -> {
                    context.end();
                    HttpResult outcome = failure == null ? done : Failures.of(failure);
                    var unusedRest = context.discard()
                            .whenComplete((rest, broken) -> write(context, outcome, response, callback));
                },
                threads);
        return true;
    }

    private CompletableFuture<HttpResult> answer(RequestContext context) {
        Route route = find(context.path())
                .orElseThrow(() -> new RequestException(404, "there is nothing at this address; see /openapi.json"));
        context.note(route.name());
        checkAccess(context, route);
        String method = context.method().equals("HEAD") ? "GET" : context.method();
        if (!method.equals(route.method())) {
            return CompletableFuture.completedFuture(HttpResult.error(405, "this address takes " + route.method())
                    .with("Allow", route.method()));
        }
        return route.endpoint().answer(context);
    }

    /** The route of a decoded path. */
    private Optional<Route> find(String path) {
        Route known = routes.get(path);
        if (known != null) {
            return Optional.of(known);
        }
        List<String> parts = List.of(path.split("/", -1));
        if (path.startsWith("v2/models/")) {
            return model(parts);
        }
        boolean load = settings.features().load()
                && parts.size() == 5
                && path.startsWith("v2/repository/models/")
                && parts.get(4).equals("load");
        return load
                ? Optional.of(new Route("load", false, "POST", context -> load(parts.get(3), context)))
                : Optional.empty();
    }

    /** {@code v2/models/M[/versions/V][/ready | /infer]}. */
    private Optional<Route> model(List<String> parts) {
        boolean versioned = parts.size() > 4 && parts.get(3).equals("versions");
        String name = parts.get(2);
        Optional<String> version = versioned ? Optional.of(parts.get(4)) : Optional.empty();
        List<String> rest = parts.subList(versioned ? 5 : 3, parts.size());
        if (rest.isEmpty()) {
            return Optional.of(
                    new Route("model", false, "GET", Endpoint.quick(context -> infer.metadata(name, version))));
        }
        return switch (String.join("/", rest)) {
            case "ready" ->
                Optional.of(new Route("ready", false, "GET", Endpoint.quick(context -> {
                    served.repository().require(name, version);
                    return readiness(Json.members(entry("name", name), entry("ready", state.ready())));
                })));
            case "infer" ->
                Optional.of(new Route("infer", false, "POST", context -> infer.infer(context, name, version)));
            default -> Optional.empty();
        };
    }

    /** Decides whether a request may use its route: where it comes from, and its key. Health checks always may. */
    private void checkAccess(RequestContext context, Route route) {
        if (route.name().equals(HEALTH)) {
            return;
        }
        if (checksHost && !isKnown(context.host().toLowerCase(Locale.ROOT))) {
            throw new RequestException(
                    421,
                    "the server does not answer for the host name of this request; start it with --allow-host and that"
                            + " name");
        }
        if (!SAFE_METHODS.contains(context.method()) && isForeign(context)) {
            throw new RequestException(
                    403,
                    "a page of another site sent this request; if that is intended, start the server with --allow-origin"
                            + " and the page's origin");
        }
        if (keys.isPresent() && !route.open()) {
            context.noteKey(keys.get()
                    .nameFor(context)
                    .orElseThrow(() -> new RequestException(
                            401, "this needs a key; send it as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'")));
        }
    }

    private boolean isKnown(String host) {
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        return IP_ADDRESS.matcher(name).matches()
                || name.isEmpty()
                || name.equals("localhost")
                || name.endsWith(".localhost")
                || settings.access().hosts().contains(name);
    }

    private boolean isForeign(RequestContext context) {
        Optional<String> origin = context.header("Origin").map(text -> text.toLowerCase(Locale.ROOT));
        if (origin.isPresent() && settings.access().origins().contains(origin.get())) {
            return false;
        }
        Optional<String> site = context.header("Sec-Fetch-Site");
        if (site.isPresent()) {
            return !site.get().equals("same-origin") && !site.get().equals("none");
        }
        // The scheme may differ: a proxy in between may end TLS.
        String authority = context.authority().toLowerCase(Locale.ROOT);
        return origin.isPresent()
                && !origin.get().equals("http://" + authority)
                && !origin.get().equals("https://" + authority);
    }

    private void write(RequestContext context, HttpResult answer, Response response, Callback callback) {
        String reason = REJECTED.get(answer.status());
        if (reason != null) {
            metrics.rejected(reason);
        }
        HttpResult result = answer.with("X-Content-Type-Options", "nosniff");
        if (answer.status() == 401) {
            result = result.with("WWW-Authenticate", "Bearer");
        }
        if (!isFirstVersion(response.getRequest())) {
            result = result.without("Connection");
        } else if (!state.ready() || context.isUnread()) {
            // Before this server ends, clients that keep their connection should go elsewhere. And a connection with
            // the
            // rest of a body in it cannot be used again: a client that is not notified would lose its next request.
            result = result.with("Connection", "close");
        }
        result.write(response, callback);
    }

    /** Whether a request came by HTTP/1, in which a header announces that the connection will be closed. */
    static boolean isFirstVersion(Request request) {
        return request.getConnectionMetaData().getHttpVersion().getVersion() <= HttpVersion.HTTP_1_1.getVersion();
    }

    /** The protocol wants 4xx while the server is not ready. */
    private HttpResult readiness(Map<String, ?> answer) {
        return HttpResult.json(state.ready() ? 200 : 400, answer);
    }

    private HttpResult prometheus() {
        return new HttpResult(200, PROMETHEUS, metrics.scrape().getBytes(StandardCharsets.UTF_8), Map.of());
    }

    private CompletableFuture<HttpResult> load(String name, RequestContext context) {
        Optional<String> version = context.query("version");
        served.repository().require(name, version);
        CompletableFuture<HttpResult> answer = new CompletableFuture<>();
        // Reading a file may never end, so no thread of other requests does it.
        Thread thread = new Thread(
                () -> {
                    try {
                        answer.complete(load(name, version));
                    } catch (RuntimeException | Error failure) {
                        answer.completeExceptionally(failure);
                    }
                },
                "load");
        thread.setDaemon(true);
        thread.start();
        return answer;
    }

    private HttpResult load(String name, Optional<String> version) {
        try {
            if (!served.repository().reload(name, version)) {
                throw new RequestException(503, "the model is being loaded already; ask again when that has ended");
            }
            metrics.reloaded(name, true);
            return HttpResult.ok(Map.of());
        } catch (IOException | InvalidInputException | IllegalArgumentException e) {
            metrics.reloaded(name, false);
            throw new RequestException(
                    400,
                    "the old model remains in use; the new file: "
                            + Failure.of(e).line());
        }
    }

    /** The status of the server for the page. */
    private HttpResult status() {
        ServerMetrics.Summary recent = metrics.recent();
        return HttpResult.ok(Json.members(
                entry("ready", state.ready()),
                entry("perSecond", recent.perSecond()),
                entry("medianMillis", recent.medianMillis()),
                entry("p99Millis", recent.p99Millis()),
                entry(
                        "models",
                        served.repository().all().stream()
                                .map(model -> Json.members(
                                        entry(
                                                "classes",
                                                model.predictor().classes().size()),
                                        entry("modelSha256", model.sha256()),
                                        entry("name", model.spec().name()),
                                        entry("queue", model.batcher().limits().queue()),
                                        entry("version", model.spec().version()),
                                        entry("waiting", model.batcher().waiting())))
                                .toList())));
    }
}
