package io.github.gramian.serve.http.internal;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.io.internal.Text;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;

/** A request as endpoints see it. Their notes go to the access log and the metrics. */
final class RequestContext {

    private static final String ATTRIBUTE = RequestContext.class.getName();

    private final Request request;
    private final BodyReader reader;
    private String endpoint = "unknown";
    private String model = "";
    private String key = "";
    private int images;

    RequestContext(Request request, HttpLimits limits, ByteBudget budget) {
        this.request = request;
        this.reader = new BodyReader(request, limits, budget);
        request.setAttribute(ATTRIBUTE, this);
    }

    /** The context that was made of a request; none if the request was refused before. */
    static Optional<RequestContext> of(Request request) {
        return Optional.ofNullable((RequestContext) request.getAttribute(ATTRIBUTE));
    }

    String method() {
        return request.getMethod();
    }

    /** The parts of the path, decoded. */
    List<String> path() {
        String path = request.getHttpURI().getDecodedPath();
        return List.of((path == null ? "" : path)
                .substring(path == null || path.isEmpty() ? 0 : 1)
                .split("/", -1));
    }

    /** The host that the client asked for, without the port; an IPv6 address has brackets. */
    String host() {
        return String.valueOf(Request.getServerName(request));
    }

    /** The host that the client asked for and the port, if it named one. */
    String authority() {
        return String.valueOf(request.getHttpURI().getAuthority());
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeaders().get(name));
    }

    Optional<String> query(String name) {
        Fields fields = Request.extractQueryParameters(request);
        return Optional.ofNullable(fields.getValue(name));
    }

    /** All values of a parameter that may be given several times. */
    List<String> queries(String name) {
        return Request.extractQueryParameters(request).getValuesOrEmpty(name);
    }

    /** A whole number of the query, or what stands for it. */
    int query(String name, int otherwise, int least, int most) {
        Optional<String> text = query(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        int value = text.get().matches("[0-9]{1,9}") ? Integer.parseInt(text.get()) : -1;
        if (value >= least && value <= most) {
            return value;
        }
        throw new RequestException(400, name + " must be a whole number in " + least + ".." + most);
    }

    /** The {@code coverage} and the level of {@code unknown} of the query. */
    CertaintyRequest certainty() {
        try {
            return CertaintyRequest.parse(
                    query("coverage").orElse(null), query("unknown").orElse(null));
        } catch (IllegalArgumentException e) {
            throw new RequestException(400, String.valueOf(e.getMessage()));
        }
    }

    /** The body; {@link #end} gives its memory back. */
    CompletableFuture<byte[]> body() {
        header("Content-Encoding")
                .filter(coding -> !coding.equalsIgnoreCase("identity"))
                .ifPresent(coding -> {
                    throw new RequestException(
                            415, "compressed bodies (Content-Encoding) are not supported; send the image without it");
                });
        return reader.read();
    }

    void note(String newEndpoint) {
        endpoint = newEndpoint;
    }

    void note(String newModel, int newImages) {
        model = newModel;
        images = newImages;
    }

    void noteKey(String name) {
        key = name;
    }

    /** The client that sent the request, as far as the server knows: the name of the key, or else the address. */
    String client() {
        return key.isEmpty() ? "address " + Request.getRemoteAddr(request) : "key " + key;
    }

    String endpoint() {
        return endpoint;
    }

    String model() {
        return model;
    }

    String key() {
        return key;
    }

    int images() {
        return images;
    }

    /** Whether the client may still be sending. */
    boolean isUnread() {
        return !method().equals("GET") && !reader.isComplete();
    }

    /** Lets the client send the rest, so that it reads the answer. */
    CompletableFuture<Void> discard() {
        return reader.discard();
    }

    void end() {
        reader.release();
    }
}
