package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.protocol.internal.RequestException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Refuses requests that a page of another site makes in a user's browser. Such a page reaches a server that listens for this
 * machine only, and needs no key if there are none. Two attacks are refused:
 *
 * <ul>
 *   <li>A page sends a form or a script's POST. The browser then states it in {@code Sec-Fetch-Site} and {@code Origin}.
 *   <li>A page's own name is made to point to this machine (DNS rebinding), so that the browser takes both for one site. The
 *       request then has an unknown name in {@code Host}. An IP address there is not part of such an attack.
 * </ul>
 *
 * Programs other than browsers send none of these headers and are not concerned.
 */
final class RequestSources {

    private static final Pattern ADDRESS = Pattern.compile("[0-9.]+|\\[[0-9a-f:.%]+]");
    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");

    private final boolean checksHost;
    private final Set<String> hosts;
    private final Set<String> origins;

    private RequestSources(boolean checksHost, Set<String> hosts, Set<String> origins) {
        this.checksHost = checksHost;
        this.hosts = hosts;
        this.origins = origins;
    }

    /** Names are checked if the server listens on a loopback address, or if the settings list some. */
    static RequestSources of(ServerSettings settings) throws UnknownHostException {
        boolean local = InetAddress.getByName(settings.address().host()).isLoopbackAddress();
        Set<String> hosts = Set.copyOf(settings.access().hosts());
        return new RequestSources(
                local || !hosts.isEmpty(), hosts, Set.copyOf(settings.access().origins()));
    }

    void check(RequestContext context) {
        checkHost(context);
        if (!SAFE_METHODS.contains(context.method()) && isForeign(context)) {
            throw new RequestException(
                    403,
                    "a page of another site sent this request; if that is intended, start the server with --allow-origin"
                            + " and the page's origin");
        }
    }

    private void checkHost(RequestContext context) {
        String host = context.host().toLowerCase(Locale.ROOT);
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        boolean known = ADDRESS.matcher(name).matches()
                || name.isEmpty()
                || name.equals("localhost")
                || name.endsWith(".localhost")
                || hosts.contains(name);
        if (checksHost && !known) {
            throw new RequestException(
                    421,
                    "the server does not answer for the host name of this request; start it with --allow-host and that"
                            + " name");
        }
    }

    private boolean isForeign(RequestContext context) {
        Optional<String> origin = context.header("Origin").map(text -> text.toLowerCase(Locale.ROOT));
        if (origin.isPresent() && origins.contains(origin.get())) {
            return false;
        }
        Optional<String> site = context.header("Sec-Fetch-Site");
        if (site.isPresent()) {
            return !site.get().equals("same-origin") && !site.get().equals("none");
        }
        return origin.isPresent() && !isOwn(origin.get(), context.authority().toLowerCase(Locale.ROOT));
    }

    /** The scheme may differ: a proxy in between may end TLS. */
    private static boolean isOwn(String origin, String authority) {
        return origin.equals("http://" + authority) || origin.equals("https://" + authority);
    }
}
