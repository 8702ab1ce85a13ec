package io.github.gramian.studio.http.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.jetty.server.Request;

/**
 * Lets only the page of this studio in: the path of a request starts with a random token, the host is this machine, and no
 * page of another origin sent it.
 */
final class RequestGuard {

    private static final int TOKEN_BYTES = 24;

    private final byte[] token;

    private RequestGuard(byte[] token) {
        this.token = token;
    }

    /** With a new token. */
    static RequestGuard create() {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        return new RequestGuard(Base64.getUrlEncoder().withoutPadding().encode(random));
    }

    String token() {
        return new String(token, StandardCharsets.US_ASCII);
    }

    /** The path after the token and its slash; empty if the request must be refused. */
    Optional<String> admit(Request request, int port) {
        if (!isOwnHost(request, port) || isForeign(request, port)) {
            return Optional.empty();
        }
        String path = String.valueOf(request.getHttpURI().getPath());
        int slash = path.indexOf('/', 1);
        if (!path.startsWith("/") || slash < 0) {
            return Optional.empty();
        }
        byte[] given = path.substring(1, slash).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(given, token) ? Optional.of(path.substring(slash + 1)) : Optional.empty();
    }

    /** A page whose own name was made to point to this machine has that name in its requests. */
    private static boolean isOwnHost(Request request, int port) {
        String host = String.valueOf(Request.getServerName(request)).toLowerCase(Locale.ROOT);
        return (host.equals("127.0.0.1") || host.equals("localhost")) && Request.getServerPort(request) == port;
    }

    private static boolean isForeign(Request request, int port) {
        String site = request.getHeaders().get("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return true;
        }
        String origin = request.getHeaders().get("Origin");
        return origin != null
                && !origin.equals("http://127.0.0.1:" + port)
                && !origin.equals("http://localhost:" + port);
    }
}
