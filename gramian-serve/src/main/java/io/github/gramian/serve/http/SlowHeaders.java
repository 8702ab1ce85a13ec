package io.github.gramian.serve.http;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * Ends connections whose next request does not get complete in time: a byte now and then keeps a connection from being idle,
 * and a few hundred such would keep everyone else out. (Bodies have a time of their own.)
 */
final class SlowHeaders implements Connection.Listener {

    private final long longest;
    private final Map<Connection, Progress> open = new ConcurrentHashMap<>();

    /** Where a connection stood when its last request had ended. */
    private record Progress(long messages, long bytes, long begun) {}

    SlowHeaders(Duration longest) {
        this.longest = longest.toNanos();
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof HttpConnection) {
            open.put(connection, new Progress(0, 0, 0));
        }
    }

    @Override
    public void onClosed(Connection connection) {
        open.remove(connection);
    }

    /** To be called now and then. */
    void sweep(long now) {
        open.forEach((connection, last) -> {
            long messages = connection.getMessagesIn();
            boolean busy = messages != connection.getMessagesOut();
            if (busy || messages != last.messages()) {
                open.replace(connection, new Progress(messages, connection.getBytesIn(), 0));
            } else if (connection.getBytesIn() > last.bytes()) {
                if (last.begun() == 0) {
                    open.replace(connection, new Progress(messages, last.bytes(), now));
                } else if (now - last.begun() > longest) {
                    connection.getEndPoint().close();
                }
            }
        });
    }
}
