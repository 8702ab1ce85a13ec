package io.github.gramian.serve.http.internal;

import io.github.gramian.json.internal.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** An answer: status, type, content, and headers in addition to these. */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record HttpResult(int status, String type, byte[] body, Map<String, String> headers) {

    public static final String JSON = "application/json";

    /** Maps, lists, strings and numbers as JSON. */
    public static HttpResult json(int status, Object value) {
        return new HttpResult(status, JSON, Json.bytes(value), Map.of());
    }

    public static HttpResult ok(Object value) {
        return json(200, value);
    }

    public static HttpResult text(String type, String text) {
        return new HttpResult(200, type, text.getBytes(StandardCharsets.UTF_8), Map.of());
    }

    /** The protocol's shape of an error. */
    public static HttpResult error(int status, String message) {
        return json(status, Map.of("error", message));
    }

    public HttpResult with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new HttpResult(status, type, body, more);
    }
}
