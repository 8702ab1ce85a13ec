package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.InvalidInputException;
import io.github.gramian.cli.common.Failure;
import io.github.gramian.json.internal.Json;
import io.github.gramian.serve.metrics.internal.RecentRequests;
import io.github.gramian.serve.metrics.internal.ServerMetrics;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ServedIndex;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Which endpoint answers which address. */
final class Routes {

    private static final String PROTOCOL = "v2";
    private static final String HEALTH = "health";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final ModelRepository models;
    private final ServerMetrics metrics;
    private final ServerState state;
    private final InferEndpoint infer;
    private final PhotoEndpoint photo;
    private final ExplainEndpoint explain;
    private final Optional<ServedIndex> index;
    private final ServerSettings.Features features;

    /** The endpoints that take images, and the index that they search. */
    record Images(InferEndpoint infer, PhotoEndpoint photo, ExplainEndpoint explain, Optional<ServedIndex> index) {}

    /**
     * The endpoints of one address.
     *
     * @param name for metrics
     * @param open whether no key is needed
     * @param methods endpoint by method
     */
    record Route(String name, boolean open, Map<String, Endpoint> methods) {

        static Route get(String name, Endpoint endpoint) {
            return new Route(name, false, Map.of("GET", endpoint));
        }

        static Route post(String name, Endpoint endpoint) {
            return new Route(name, false, Map.of("POST", endpoint));
        }

        /** Health checks need neither a key nor a known host. */
        boolean isHealth() {
            return name.equals(HEALTH);
        }

        Route withoutKey() {
            return new Route(name, true, methods);
        }
    }

    Routes(
            ModelRepository models,
            ServerMetrics metrics,
            ServerState state,
            Images images,
            ServerSettings.Features features) {
        this.models = models;
        this.metrics = metrics;
        this.state = state;
        this.infer = images.infer();
        this.photo = images.photo();
        this.explain = images.explain();
        this.index = images.index();
        this.features = features;
    }

    /** Whether a decoded path is that of a health check, before its route is looked up. */
    static boolean isHealth(@Nullable String path) {
        return path != null && path.startsWith("/" + PROTOCOL + "/" + HEALTH + "/");
    }

    /** The route of a path, decoded and split at slashes. */
    Optional<Route> find(List<String> path) {
        return switch (path.get(0)) {
            case PROTOCOL -> protocol(path.subList(1, path.size()));
            case "predict" -> only(path, 1, Route.post("predict", photo.predict()));
            case "describe" -> only(path, 1, Route.post("describe", photo.describe()));
            case "similar" -> only(path, 1, Route.post("similar", photo.similar()));
            case "explain" -> only(path, 1, Route.post("explain", explain.explain()));
            case "metrics" ->
                only(
                        path,
                        1,
                        Route.get("metrics", Endpoint.quick(context -> HttpResult.text(PROMETHEUS, metrics.scrape()))));
            case "openapi.json" ->
                only(
                        path,
                        1,
                        Route.get("openapi", Endpoint.quick(context -> PageFiles.answer("openapi.json")))
                                .withoutKey());
            default -> features.page() ? page(path) : Optional.empty();
        };
    }

    private static Optional<Route> only(List<String> path, int parts, Route route) {
        return path.size() == parts ? Optional.of(route) : Optional.empty();
    }

    private Optional<Route> page(List<String> path) {
        String whole = String.join("/", path);
        return switch (whole) {
            case "" -> Optional.of(file("index.html"));
            case "page/page.css", "page/page.js", "page/icon.svg" ->
                Optional.of(file(whole.substring("page/".length())));
            case "page/reading" -> Optional.of(Route.post("page", photo.page()));
            case "page/status" -> Optional.of(Route.get("page", Endpoint.quick(context -> status())));
            default -> Optional.empty();
        };
    }

    private static Route file(String name) {
        return Route.get("page", Endpoint.quick(context -> PageFiles.answer(name)))
                .withoutKey();
    }

    private Optional<Route> protocol(List<String> path) {
        if (path.isEmpty()) {
            return Optional.of(Route.get("server", Endpoint.quick(context -> HttpResult.ok(Metadata.server()))));
        }
        return switch (path.get(0)) {
            case HEALTH -> path.size() == 2 ? health(path.get(1)) : Optional.empty();
            case "models" -> path.size() > 1 ? model(path) : Optional.empty();
            case "repository" ->
                features.load()
                                && path.size() == 4
                                && path.get(1).equals("models")
                                && path.get(3).equals("load")
                        ? Optional.of(Route.post("load", context -> load(path.get(2), context)))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private Optional<Route> health(String what) {
        return switch (what) {
            case "live" ->
                Optional.of(Route.get(HEALTH, Endpoint.quick(context -> HttpResult.ok(Map.of("live", true))))
                        .withoutKey());
            case "ready" ->
                Optional.of(Route.get(
                                HEALTH,
                                Endpoint.quick(context ->
                                        HttpResult.json(state.ready() ? 200 : 400, Map.of("ready", state.ready()))))
                        .withoutKey());
            default -> Optional.empty();
        };
    }

    /** {@code models/M[/versions/V][/ready | /infer]}. */
    private Optional<Route> model(List<String> path) {
        boolean versioned = path.size() > 3 && path.get(2).equals("versions");
        ModelAddress address = new ModelAddress(path.get(1), versioned ? Optional.of(path.get(3)) : Optional.empty());
        List<String> rest = path.subList(versioned ? 4 : 2, path.size());
        return switch (String.join("/", rest)) {
            case "" ->
                rest.isEmpty()
                        ? Optional.of(Route.get(
                                "model",
                                Endpoint.quick(context -> HttpResult.ok(Metadata.model(models, index, address)))))
                        : Optional.empty();
            case "ready" -> Optional.of(Route.get("ready", Endpoint.quick(context -> modelReady(address))));
            case "infer" -> Optional.of(Route.post("infer", infer.of(address)));
            default -> Optional.empty();
        };
    }

    private HttpResult modelReady(ModelAddress address) {
        address.require(models);
        return HttpResult.json(
                state.ready() ? 200 : 400, Json.members(entry("name", address.name()), entry("ready", state.ready())));
    }

    private CompletableFuture<HttpResult> load(String name, RequestContext context) {
        ModelAddress address = new ModelAddress(name, context.query("version"));
        address.require(models);
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        if (!models.reload(address.name(), address.version())) {
                            throw new RequestException(
                                    503, "the model is being loaded already; ask again when that has ended");
                        }
                        metrics.reloaded(address.name(), true);
                        return HttpResult.ok(Map.of());
                    } catch (IOException | InvalidInputException | IllegalArgumentException e) {
                        metrics.reloaded(address.name(), false);
                        throw new RequestException(
                                400,
                                "the old model remains in use; the new file: "
                                        + Failure.of(e).line());
                    }
                },
                Routes::ownThread);
    }

    /** For work that may never end, such as reading a file: no thread of other requests. */
    private static void ownThread(Runnable work) {
        Thread thread = new Thread(work, "load");
        thread.setDaemon(true);
        thread.start();
    }

    /** The status of the server for the page. */
    private HttpResult status() {
        RecentRequests.Summary recent = metrics.recent().summary();
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("ready", state.ready());
        status.put("perSecond", recent.perSecond());
        status.put("medianMillis", recent.medianMillis());
        status.put("p99Millis", recent.p99Millis());
        status.put(
                "models",
                models.all().stream()
                        .map(model -> Json.members(
                                entry("classes", model.predictor().classes().size()),
                                entry("modelSha256", model.sha256()),
                                entry("name", model.spec().name()),
                                entry("queue", model.batcher().limits().queue()),
                                entry("version", model.spec().version()),
                                entry("waiting", model.batcher().waiting())))
                        .toList());
        return HttpResult.ok(status);
    }
}
