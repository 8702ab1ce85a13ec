package io.github.gramian.serve.http.internal;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Notes which connections have a request in progress, and answers only health checks on reserved connections. */
final class ConnectionHandler extends Handler.Wrapper {

    private static final HttpResult FULL =
            HttpResult.error(503, "all connections of the server have a request in progress; try again later");

    private final ConnectionLimits connections;

    ConnectionHandler(Handler next, ConnectionLimits connections) {
        super(next);
        this.connections = connections;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        OpenConnection connection = connections.of(request);
        connection.startRequest(request, System.nanoTime());
        Request.addCompletionListener(request, failure -> connection.endRequest(request, System.nanoTime()));
        if (!connection.isReserved()) {
            return super.handle(request, response, callback);
        }
        if (RequestHandler.isFirstVersion(request)) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        if (Routes.isHealth(request.getHttpURI().getDecodedPath())) {
            return super.handle(request, response, callback);
        }
        response.setStatus(FULL.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, FULL.type());
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, FULL.body().length);
        response.getHeaders().put(HttpHeader.RETRY_AFTER, 1);
        response.write(true, ByteBuffer.wrap(FULL.body()), callback);
        return true;
    }
}
