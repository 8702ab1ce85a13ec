package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.inference.internal.ServerMetrics;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.Channel;
import java.nio.channels.SelectableChannel;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Keeps clients that hold connections from locking others out, whether by HTTP/1, by HTTP/2, or in a TLS handshake.
 *
 * <ul>
 *   <li>If all connections are taken, the one that has been idle for longest is closed to admit the new one. If there is none,
 *       it is one whose request arrives with less than 1 kB per second. No other request in progress is cut off.
 *   <li>If all of them have a request in progress, the new one takes a reserved place, which serves health checks only.
 *   <li>A connection on which bytes arrive must complete the headers of a request within the limit for receiving it.
 * </ul>
 */
final class ConnectionLimits implements SelectorManager.AcceptListener, Connection.Listener {

    /** Places beyond the limit for health checks. */
    static final int RESERVED = 128;

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");
    /** An eighth of all connections. */
    private static final int FEW = 8;

    private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final HttpResult FULL = HttpResult.error(
                    503, "all connections of the server have a request in progress; try again later")
            .with("Retry-After", "1");

    private final int max;
    private final long receiveNanos;
    private final ServerMetrics metrics;
    private final Map<Channel, OpenConnection> open = new ConcurrentHashMap<>();
    private long closedToAdmit;
    private long reported;

    ConnectionLimits(HttpLimits limits, ServerMetrics metrics) {
        this.max = limits.connections();
        this.receiveNanos = limits.times().receive().toNanos();
        this.metrics = metrics;
        this.reported = System.nanoTime() - REPORT_NANOS;
        metrics.connections(open::size);
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        long now = System.nanoTime();
        OpenConnection victim;
        synchronized (this) {
            int reserved = (int)
                    open.values().stream().filter(OpenConnection::isReserved).count();
            if (open.size() - reserved < max) {
                open.put(channel, new OpenConnection(false, now));
                return;
            }
            victim = removeLongestIdle(now);
            if (victim == null) {
                victim = removeLongestStalled(now);
            }
            boolean full = victim == null;
            if (full && reserved >= RESERVED) {
                victim = removeOldestReserved(now);
            }
            open.put(channel, new OpenConnection(full, now));
            closedToAdmit += victim == null ? 0 : 1;
        }
        if (victim != null) {
            metrics.connectionClosed("full");
            victim.close();
        }
    }

    /**
     * If only a few connections are idle, and only for a moment, they are those of honest clients whose requests are about to
     * arrive, and none of them is closed.
     */
    private @Nullable OpenConnection removeLongestIdle(long now) {
        long idle = open.values().stream()
                .filter(one -> !one.isReserved() && one.isIdle())
                .count();
        return removeFirst(
                one -> !one.isReserved() && one.isIdle() && (idle > max / FEW || now - one.idleSince() > MOMENT_NANOS),
                one -> one.idleSince() - now);
    }

    private @Nullable OpenConnection removeLongestStalled(long now) {
        return removeFirst(one -> !one.isReserved() && one.isStalled(now), one -> one.busySince() - now);
    }

    /** A health check takes milliseconds, so the oldest has had its time whatever it does. */
    private @Nullable OpenConnection removeOldestReserved(long now) {
        return removeFirst(OpenConnection::isReserved, one -> one.opened() - now);
    }

    private @Nullable OpenConnection removeFirst(
            Predicate<OpenConnection> which, ToLongFunction<OpenConnection> order) {
        return open.entrySet().stream()
                .filter(entry -> which.test(entry.getValue()))
                .min(Comparator.comparingLong(entry -> order.applyAsLong(entry.getValue())))
                .map(entry -> open.remove(entry.getKey()))
                .orElse(null);
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, @Nullable Throwable cause) {
        open.remove(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        open.remove(channel);
    }

    @Override
    public void onOpened(Connection connection) {
        EndPoint socket = socket(connection);
        OpenConnection known = find(connection);
        if (known != null) {
            known.attach(socket, connection);
        } else {
            socket.close(); // it was chosen to free capacity before Jetty had opened it
        }
    }

    private static EndPoint socket(Connection connection) {
        EndPoint end = connection.getEndPoint();
        while (end instanceof EndPoint.Wrapper wrapper) {
            end = wrapper.unwrap();
        }
        return end;
    }

    private @Nullable OpenConnection find(Connection connection) {
        return socket(connection).getTransport() instanceof Channel channel ? open.get(channel) : null;
    }

    private OpenConnection of(Request request) {
        OpenConnection known = find(request.getConnectionMetaData().getConnection());
        // It may have been closed at this moment; then the answer goes nowhere.
        return known == null ? new OpenConnection(true, System.nanoTime()) : known;
    }

    /** Closes slow connections and reports a full server. To be called about once per second. */
    void sweep() {
        long now = System.nanoTime();
        open.forEach((channel, connection) -> {
            if (connection.isSlow(now, receiveNanos) && open.remove(channel, connection)) {
                metrics.connectionClosed("slow");
                connection.close();
            }
        });
        long closed;
        synchronized (this) {
            if (closedToAdmit == 0 || now - reported < REPORT_NANOS) {
                return;
            }
            closed = closedToAdmit;
            closedToAdmit = 0;
            reported = now;
        }
        LOG.log(
                Level.WARNING,
                "all " + max + " connections are taken; " + closed
                        + " were closed to admit others. If these are legitimate"
                        + " clients, raise limits.connections");
    }

    /** Notes which connections have a request in progress, and answers only health checks on reserved connections. */
    Handler handler(Handler next) {
        return new Handler.Wrapper(next) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                OpenConnection connection = of(request);
                connection.startRequest(request, System.nanoTime());
                Request.addCompletionListener(request, failure -> connection.endRequest(request, System.nanoTime()));
                if (connection.isReserved() && Router.isFirstVersion(request)) {
                    response.getHeaders().put(HttpHeader.CONNECTION, "close");
                }
                if (connection.isReserved()
                        && !Router.isHealth(request.getHttpURI().getDecodedPath())) {
                    FULL.write(response, callback);
                    return true;
                }
                return super.handle(request, response, callback);
            }
        };
    }

    /**
     * One connection of a client. A request is in progress from the end of its headers to the end of its answer. All times are
     * those of {@link System#nanoTime}.
     */
    private static final class OpenConnection {

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
}
