package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.metrics.internal.ServerMetrics;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Between Jetty and the endpoints: finds the route, checks whether the request may use it, writes the answer. Holds no thread
 * meanwhile.
 */
final class RequestHandler extends Handler.Abstract.NonBlocking {

    private static final Map<Integer, String> REJECTED = Map.ofEntries(
            Map.entry(401, "key"),
            Map.entry(403, "site"),
            Map.entry(408, "slow"),
            Map.entry(413, "size"),
            Map.entry(415, "type"),
            Map.entry(421, "host"),
            Map.entry(429, "queue"),
            Map.entry(503, "unavailable"),
            Map.entry(504, "deadline"));

    /** Decides whether a request may use its route: where it comes from, and its key. Health checks always may. */
    record Admission(RequestSources sources, Optional<ApiKeys> keys) {

        void check(RequestContext context, Routes.Route route) {
            if (route.isHealth()) {
                return;
            }
            sources.check(context);
            if (keys.isPresent() && !route.open()) {
                context.noteKey(keys.get()
                        .nameFor(context)
                        .orElseThrow(() -> new RequestException(
                                401, "this needs a key; send it as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'")));
            }
        }
    }

    private final Routes routes;
    private final Admission admission;
    private final HttpLimits limits;
    private final ByteBudget budget;
    private final ServerMetrics metrics;
    private final ServerState state;

    RequestHandler(
            Routes routes,
            Admission admission,
            HttpLimits limits,
            ByteBudget budget,
            ServerMetrics metrics,
            ServerState state) {
        this.routes = routes;
        this.admission = admission;
        this.limits = limits;
        this.budget = budget;
        this.metrics = metrics;
        this.state = state;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        RequestContext context = new RequestContext(request, limits, budget);
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
                    HttpResult outcome = outcome(done, failure);
                    Exchange exchange = new Exchange(request, response, callback);
                    if (context.isUnread()) {
                        var unusedRest =
                                context.discard().whenComplete((rest, broken) -> write(context, outcome, exchange));
                    } else {
                        write(context, outcome, exchange);
                    }
                },
                threads);
        return true;
    }

    private static HttpResult outcome(@Nullable HttpResult done, @Nullable Throwable failure) {
        return failure != null || done == null
                ? Failures.of(failure == null ? new NullPointerException() : failure)
                : done;
    }

    private CompletableFuture<HttpResult> answer(RequestContext context) {
        Routes.Route route = routes.find(context.path())
                .orElseThrow(() -> new RequestException(404, "there is nothing at this address; see /openapi.json"));
        context.note(route.name());
        admission.check(context, route);
        String method = context.method().equals("HEAD") ? "GET" : context.method();
        Endpoint endpoint = route.methods().get(method);
        if (endpoint == null) {
            String allowed = String.join(", ", new TreeSet<>(route.methods().keySet()));
            return CompletableFuture.completedFuture(
                    HttpResult.error(405, "this address takes " + allowed).with("Allow", allowed));
        }
        return endpoint.answer(context);
    }

    /** Jetty's objects for one request. */
    private record Exchange(Request request, Response response, Callback callback) {}

    private void write(RequestContext context, HttpResult answer, Exchange exchange) {
        String reason = REJECTED.get(answer.status());
        if (reason != null) {
            metrics.rejected(reason);
        }
        Response response = exchange.response();
        response.setStatus(answer.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, answer.type());
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.body().length);
        response.getHeaders().put("X-Content-Type-Options", "nosniff");
        answer.headers().forEach((name, value) -> response.getHeaders().put(name, value));
        if (answer.status() == 401) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        }
        if (!isFirstVersion(exchange.request())) {
            response.getHeaders().remove(HttpHeader.CONNECTION);
        } else if (!state.ready() || context.isUnread()) {
            // Before this server ends, clients that keep their connection should go elsewhere. And a connection with
            // the
            // rest of a body in it cannot be used again: a client that is not notified would lose its next request.
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        ByteBuffer body = context.method().equals("HEAD") ? ByteBuffer.allocate(0) : ByteBuffer.wrap(answer.body());
        response.write(true, body, exchange.callback());
    }

    /** Whether a request came by HTTP/1, in which a header announces that the connection will be closed. */
    static boolean isFirstVersion(Request request) {
        return request.getConnectionMetaData().getHttpVersion().getVersion() <= HttpVersion.HTTP_1_1.getVersion();
    }
}
