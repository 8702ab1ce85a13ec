package io.github.gramian.serve.http.internal;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.content.ContentSourceCompletableFuture;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/** A request as endpoints see it. Their notes go to the access log and the metrics. */
final class RequestContext {

    private static final String ATTRIBUTE = RequestContext.class.getName();

    /** At most this multiple of the limit is read of a body that is refused. */
    private static final long DISCARDED = 4;

    private final Request request;
    private final HttpLimits limits;
    private final ByteBudget budget;
    private volatile @Nullable Body body;
    private String endpoint = "unknown";
    private String model = "";
    private String key = "";
    private int images;

    RequestContext(Request request, HttpLimits limits, ByteBudget budget) {
        this.request = request;
        this.limits = limits;
        this.budget = budget;
        request.setAttribute(ATTRIBUTE, this);
    }

    /** The context that was made of a request; none if the request was refused before. */
    static Optional<RequestContext> of(Request request) {
        return Optional.ofNullable((RequestContext) request.getAttribute(ATTRIBUTE));
    }

    String method() {
        return request.getMethod();
    }

    /** The decoded path without its first slash. */
    String path() {
        String path = request.getHttpURI().getDecodedPath();
        return path == null || path.isEmpty() ? "" : path.substring(1);
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

    /** The body, up to a limit and for a limited time; {@link #end} gives its memory back. */
    CompletableFuture<byte[]> body() {
        header("Content-Encoding")
                .filter(coding -> !coding.equalsIgnoreCase("identity"))
                .ifPresent(coding -> {
                    throw new RequestException(
                            415, "compressed bodies (Content-Encoding) are not supported; send the image without it");
                });
        if (request.getLength() > limits.sizes().bodyBytes()) {
            throw tooLarge();
        }
        Body reading = new Body();
        body = reading;
        CompletableFuture<byte[]> inTime =
                reading.copy().orTimeout(limits.times().receive().toMillis(), TimeUnit.MILLISECONDS);
        reading.run();
        return inTime;
    }

    private RequestException tooLarge() {
        return new RequestException(
                413, "the body may have at most " + limits.sizes().bodyBytes() + " bytes; send a smaller image");
    }

    /** Memory for the bodies of all requests together: whatever many clients send at once, no more is taken. */
    record ByteBudget(long most, AtomicLong taken) {

        /** Takes some bytes, or refuses the request. */
        void take(long bytes) {
            if (taken.addAndGet(bytes) > most) {
                taken.addAndGet(-bytes);
                throw new RequestException(
                        503, "other requests fill the memory for uploads (" + most + " bytes); try again later");
            }
        }

        void give(long bytes) {
            taken.addAndGet(-bytes);
        }
    }

    /** A body while it arrives. Its memory grows with the bytes that are there, not with the length that a header announces. */
    private final class Body extends ContentSourceCompletableFuture<byte[]> {

        private static final int FIRST = 16 << 10;

        private byte[] bytes = new byte[0];
        private int count;
        private long taken;
        private boolean released;

        Body() {
            super(request, InvocationType.BLOCKING); // decoding starts on the thread that receives the last bytes
        }

        @Override
        protected synchronized byte @Nullable [] parse(Content.Chunk chunk) throws IOException {
            if (released) {
                throw new IOException("the request has been answered");
            }
            int more = chunk.remaining();
            if (more > limits.sizes().bodyBytes() - count) {
                throw tooLarge();
            }
            if (count + more > bytes.length) {
                long announced = request.getLength() < 0 ? limits.sizes().bodyBytes() : request.getLength();
                int size = (int) Math.max(count + more, Math.min(announced, Math.max(FIRST, 2L * bytes.length)));
                budget.take(size - bytes.length);
                taken += size - bytes.length;
                bytes = Arrays.copyOf(bytes, size);
            }
            chunk.get(bytes, count, more);
            count += more;
            return !chunk.isLast() ? null : count == bytes.length ? bytes : Arrays.copyOf(bytes, count);
        }

        /** The body is not needed any more. */
        synchronized void release() {
            budget.give(taken);
            taken = 0;
            released = true;
        }
    }

    /** What is left of a body that nobody needs, until it has ended or is too long. */
    private static final class Rest extends ContentSourceCompletableFuture<Boolean> {

        private long left;

        Rest(Request request, long most) {
            super(request, InvocationType.BLOCKING); // the answer is written when it ends
            this.left = most;
        }

        @Override
        public void run() {
            if (!isDone()) {
                super.run();
            }
        }

        @Override
        protected @Nullable Boolean parse(Content.Chunk chunk) {
            left -= chunk.remaining();
            boolean over = chunk.isLast() || left < 0;
            return over ? true : null;
        }
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
        Body reading = body;
        return !method().equals("GET")
                && request.getLength() != 0
                && (reading == null || !reading.isDone() || reading.isCompletedExceptionally());
    }

    /**
     * Reads what is left and throws it away, a few times what is allowed at most: a connection that is closed while its client
     * still sends takes the answer with it.
     */
    CompletableFuture<?> discard() {
        long most = DISCARDED * limits.sizes().bodyBytes();
        Body reading = body;
        boolean pending = reading != null && !reading.isDone(); // it still waits for bytes
        if (pending || !isUnread() || request.getLength() > most) {
            return CompletableFuture.completedFuture(true);
        }
        Rest rest = new Rest(request, most);
        var unused = rest.completeOnTimeout(true, limits.times().receive().toMillis(), TimeUnit.MILLISECONDS);
        rest.run();
        return rest;
    }

    /** The body is not needed any more. */
    void end() {
        Body reading = body;
        if (reading != null) {
            reading.release();
        }
    }
}
