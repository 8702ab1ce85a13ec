package io.github.gramian.serve.http.internal;

import java.util.HashSet;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a client. A request is in progress from the end of its headers to the end of its answer. All times are
 * those of {@link System#nanoTime}.
 */
final class OpenConnection {

    /** No honest client is slower: it would not get a photograph through within the limit for receiving a request. */
    private static final int MIN_BYTES_PER_SECOND = 1024;

    private static final int GRACE_SECONDS = 1;

    private final boolean reserved;
    private final long opened;
    private @Nullable EndPoint socket;
    private @Nullable Connection http;
    private @Nullable Connection encrypted;

    private final Set<Request> requests = new HashSet<>();
    private long busySince;
    private long idleSince;
    private long bytes;
    private boolean receiving;
    private long receivingSince;

    /** @param reserved whether it was admitted for a health check only */
    OpenConnection(boolean reserved, long now) {
        this.reserved = reserved;
        this.opened = now;
        this.idleSince = now;
    }

    /** Jetty has created a connection object: TLS, HTTP/1, or HTTP/2 after HTTP/1. */
    synchronized void attach(EndPoint newSocket, Connection connection) {
        socket = newSocket;
        if (connection instanceof SslConnection) {
            encrypted = connection;
        } else {
            http = connection;
            bytes = 0;
        }
    }

    /** The headers of a request have arrived. HTTP/2 has several requests at once. */
    synchronized void startRequest(Request request, long now) {
        if (requests.isEmpty()) {
            busySince = now;
            bytes = bytesIn();
        }
        requests.add(request);
        receiving = false;
    }

    synchronized void endRequest(Request request, long now) {
        requests.remove(request);
        idleSince = now;
        bytes = bytesIn();
    }

    boolean isReserved() {
        return reserved;
    }

    long opened() {
        return opened;
    }

    /** Whether it may be closed without cutting off a request. */
    synchronized boolean isIdle() {
        return requests.isEmpty() && socket != null;
    }

    /** Whether no request has arrived in full, and their bytes arrive too slowly. */
    synchronized boolean isStalled(long now) {
        double seconds = (now - busySince) / 1e9;
        return !requests.isEmpty()
                && seconds > GRACE_SECONDS
                && bytesIn() - bytes < seconds * MIN_BYTES_PER_SECOND
                && requests.stream()
                        .allMatch(request -> RequestContext.of(request)
                                .map(RequestContext::isUnread)
                                .orElse(false));
    }

    /** When its first request that is still in progress started. */
    synchronized long busySince() {
        return busySince;
    }

    /** When its last request ended, or when it was opened. */
    synchronized long idleSince() {
        return idleSince;
    }

    /**
     * Whether bytes have been arriving for longer than the limit without making a request. A byte now and then, or an HTTP/2
     * PING, keeps a connection from being idle in Jetty's view.
     */
    synchronized boolean isSlow(long now, long limit) {
        if (!receiving && isIdle() && bytesIn() > bytes) {
            receiving = true;
            receivingSince = now;
        }
        return receiving && now - receivingSince > limit;
    }

    /** Bytes from the network: an unfinished TLS handshake gives no bytes to HTTP. */
    private long bytesIn() {
        Connection outer = encrypted == null ? http : encrypted;
        return outer == null ? 0 : outer.getBytesIn();
    }

    /** Closes it at once. Jetty's own close would wait for a client that does not read. */
    void close() {
        EndPoint open;
        synchronized (this) {
            open = socket;
        }
        if (open != null) {
            open.close();
        }
    }
}
