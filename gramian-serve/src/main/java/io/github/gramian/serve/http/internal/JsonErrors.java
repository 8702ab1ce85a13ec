package io.github.gramian.serve.http.internal;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Errors of Jetty itself (broken HTTP, headers that are too long), in the protocol's format. */
final class JsonErrors extends ErrorHandler {

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int code,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        String reason = cause instanceof HttpException known ? known.getReason() : message;
        if (cause != null && cause.getCause() instanceof NumberFormatException && "Bad Request".equals(reason)) {
            reason = "Bad URI"; // Jetty gives no reason for a broken escape
        }
        byte[] body = HttpResult.error(code, HttpSentences.of(code, reason)).body();
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, HttpResult.JSON);
        if (RequestHandler.isFirstVersion(request)) {
            // Jetty closes the connection after most of them; a client that is not notified would lose its next
            // request.
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        response.write(true, ByteBuffer.wrap(body), callback);
    }
}
