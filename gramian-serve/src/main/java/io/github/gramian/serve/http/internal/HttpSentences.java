package io.github.gramian.serve.http.internal;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;
import org.jspecify.annotations.Nullable;

/**
 * Why a request breaks the rules of HTTP, in sentences of this server. Jetty's own reasons may repeat what the client sent, so
 * they only choose the sentence and never reach a client.
 */
final class HttpSentences {

    /** A word of Jetty's reason in lower case, and the sentence for it. */
    private record Cause(String word, String sentence) {}

    private static final String HEADER = "a line of the request's header breaks the rules of HTTP";
    private static final String ADDRESS = "the address has characters or escapes that HTTP does not allow in it";

    private static final List<Cause> CAUSES = List.of(
            new Cause("early eof", "the connection ended before the request was complete"),
            new Cause("transfer-encoding", "Transfer-Encoding must be 'chunked' alone, without Content-Length"),
            new Cause("chunk", "the body is not in valid chunks"),
            new Cause("content-length", "Content-Length must be one whole number, and the length of the body"),
            new Cause("host", "the request needs exactly one valid Host header"),
            new Cause("version", "this version of HTTP is not supported; use HTTP/1.1 or HTTP/2"),
            new Cause("upgrade", "the headers that ask for HTTP/2 are not complete"),
            new Cause("ambiguous", ADDRESS),
            new Cause("uri", ADDRESS),
            new Cause("path", ADDRESS),
            new Cause("encoding", ADDRESS),
            new Cause("character", HEADER),
            new Cause("header", HEADER),
            new Cause("eol", HEADER),
            new Cause("colon", HEADER),
            new Cause("white space", HEADER));

    private static final Map<Integer, String> STATUSES = Map.of(
            400, "the request breaks the rules of HTTP",
            408, "the request arrived too slowly",
            413, "the body is too long",
            414, "the address is too long; limits.headerBytes of the server limits it",
            431, "the headers are too long; limits.headerBytes of the server limits them",
            500, "internal server error; see the server's log",
            503, "the server is ending; try another one",
            505, "this version of HTTP is not supported; use HTTP/1.1 or HTTP/2");

    private HttpSentences() {}

    static String of(int status, @Nullable String reason) {
        String known = reason == null ? "" : reason.toLowerCase(Locale.ROOT);
        String otherwise = STATUSES.getOrDefault(status, HttpStatus.getMessage(status));
        return status != 400
                ? otherwise
                : CAUSES.stream()
                        .filter(cause -> known.contains(cause.word()))
                        .map(Cause::sentence)
                        .findFirst()
                        .orElse(otherwise);
    }
}
