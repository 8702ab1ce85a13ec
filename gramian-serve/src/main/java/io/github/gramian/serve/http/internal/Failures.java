package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The results of failed requests, and of requests that break the rules of HTTP, in the protocol's format. The list is in
 * docs/http.md. Jetty's own reasons may repeat what the client sent, so they only choose a sentence and never reach a client.
 */
final class Failures extends ErrorHandler {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");

    private static final String HEADER = "a line of the request's header breaks the rules of HTTP";
    private static final String ADDRESS = "the address has characters or escapes that HTTP does not allow in it";

    /** A word of Jetty's reason in lower case and the sentence for it, in the order in which they are looked for. */
    private static final List<Map.Entry<String, String>> REASONS = List.of(
            entry("early eof", "the connection ended before the request was complete"),
            entry("transfer-encoding", "Transfer-Encoding must be 'chunked' alone, without Content-Length"),
            entry("chunk", "the body is not in valid chunks"),
            entry("content-length", "Content-Length must be one whole number, and the length of the body"),
            entry("host", "the request needs exactly one valid Host header"),
            entry("version", "this version of HTTP is not supported; use HTTP/1.1 or HTTP/2"),
            entry("upgrade", "the headers that ask for HTTP/2 are not complete"),
            entry("ambiguous", ADDRESS),
            entry("uri", ADDRESS),
            entry("path", ADDRESS),
            entry("encoding", ADDRESS),
            entry("character", HEADER),
            entry("header", HEADER),
            entry("eol", HEADER),
            entry("colon", HEADER),
            entry("white space", HEADER));

    private static final Map<Integer, String> STATUSES = Map.of(
            400, "the request breaks the rules of HTTP",
            408, "the request arrived too slowly",
            413, "the body is too long",
            414, "the address is too long; limits.headerBytes of the server limits it",
            431, "the headers are too long; limits.headerBytes of the server limits them",
            500, "internal server error; see the server's log",
            503, "the server is ending; try another one",
            505, "this version of HTTP is not supported; use HTTP/1.1 or HTTP/2");

    /** The result of a request that failed in this server. */
    static HttpResult of(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        if (cause instanceof RequestException wrong) {
            HttpResult result = HttpResult.error(wrong.status(), String.valueOf(wrong.getMessage()));
            return wrong.status() == RequestException.QUEUE_FULL ? result.with("Retry-After", "1") : result;
        }
        if (cause instanceof TimeoutException) {
            return HttpResult.error(408, sentence(408, null)).with("Connection", "close");
        }
        if (cause instanceof HttpException http) {
            return HttpResult.error(http.getCode(), sentence(http.getCode(), http.getReason()));
        }
        if (cause instanceof RejectedExecutionException) {
            return ended();
        }
        if (cause instanceof OutOfMemoryError) {
            LOG.log(Level.WARNING, "a request needed more memory than there is: " + cause.getMessage());
            return HttpResult.error(503, "the server does not have enough memory for this request now")
                    .with("Retry-After", "5");
        }
        if (cause instanceof IOException) {
            return HttpResult.error(400, "the request ended before it was complete");
        }
        LOG.log(Level.ERROR, "a request failed", cause);
        return HttpResult.error(500, sentence(500, null));
    }

    /** The answer to requests that the end of the server leaves without one. */
    static HttpResult ended() {
        return HttpResult.error(503, sentence(503, null));
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown instanceof CompletionException && cause != null ? unwrapped(cause) : thrown;
    }

    private static String sentence(int status, @Nullable String reason) {
        String otherwise = STATUSES.getOrDefault(status, HttpStatus.getMessage(status));
        if (status != 400 || reason == null) {
            return otherwise;
        }
        String known = reason.toLowerCase(Locale.ROOT);
        return REASONS.stream()
                .filter(one -> known.contains(one.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(otherwise);
    }

    /** Errors of Jetty itself: broken HTTP, headers that are too long. */
    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int code,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        String reason = cause instanceof HttpException known ? known.getReason() : message;
        if (cause != null && cause.getCause() instanceof NumberFormatException && "Bad Request".equals(reason)) {
            reason = "Bad URI"; // Jetty gives no reason for a broken escape
        }
        if (Router.isFirstVersion(request)) {
            // Jetty closes the connection after most of them; a client that is not notified would lose its next
            // request.
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        HttpResult.error(code, sentence(code, reason)).write(response, callback);
    }
}
