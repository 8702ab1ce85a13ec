package io.github.gramian.serve.http.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

/** Files of pages and the OpenAPI document, from a jar. */
public final class PageFiles {

    /** Nothing but what comes from this server, nothing in the page itself that runs. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml",
            "json", HttpResult.JSON);

    private PageFiles() {}

    static HttpResult answer(String name) {
        return answer(PageFiles.class, name);
    }

    /** A file next to a class. */
    public static HttpResult answer(Class<?> owner, String name) {
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
                            "Content-Security-Policy", POLICY,
                            "Referrer-Policy", "no-referrer",
                            "Cache-Control", "no-cache"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
