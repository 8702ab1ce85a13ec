package io.github.gramian.serve.http.internal;

import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** An answer: status, type, content, and headers in addition to these. */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record HttpResult(int status, String type, byte[] body, Map<String, String> headers) {

    public static final String JSON = "application/json";

    /** Nothing but what comes from this server, nothing in the page itself that runs. */
    private static final String PAGE_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                    + " img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml",
            "json", JSON);

    /** Maps, lists, strings and numbers as JSON. */
    public static HttpResult json(int status, Object value) {
        return new HttpResult(status, JSON, Json.bytes(value), Map.of());
    }

    public static HttpResult ok(Object value) {
        return json(200, value);
    }

    /** The protocol's shape of an error. */
    public static HttpResult error(int status, String message) {
        return json(status, Map.of("error", message));
    }

    /** A file of a page, from the jar, next to a class. */
    public static HttpResult page(Class<?> owner, String name) {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing in the jar");
            }
            String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
            return new HttpResult(
                    200,
                    type,
                    in.readAllBytes(),
                    Map.of(
                            "Content-Security-Policy", PAGE_POLICY,
                            "Referrer-Policy", "no-referrer",
                            "Cache-Control", "no-cache"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public HttpResult with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new HttpResult(status, type, body, more);
    }

    HttpResult without(String header) {
        Map<String, String> fewer = new LinkedHashMap<>(headers);
        fewer.remove(header);
        return new HttpResult(status, type, body, fewer);
    }

    /** Sends it; headers that the response has already remain unless this has them as well. */
    public void write(Response response, Callback callback) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        headers.forEach((name, value) -> response.getHeaders().put(name, value));
        boolean head = HttpMethod.HEAD.is(response.getRequest().getMethod());
        response.write(true, head ? ByteBuffer.allocate(0) : ByteBuffer.wrap(body), callback);
    }
}
