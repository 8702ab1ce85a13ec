package io.github.gramian.serve.http.internal;

import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.serve.inference.internal.ServerMetrics;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.RequestLog;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.NanoTime;

/** Counts every request that has ended and writes a line of JSON about it. Keys and queries are not written. */
final class AccessLog implements RequestLog {

    private static final int MAX_PATH = 256;

    private final ServerMetrics metrics;
    private final Consumer<String> lines;

    AccessLog(ServerMetrics metrics, Consumer<String> lines) {
        this.metrics = metrics;
        this.lines = lines;
    }

    @Override
    public void log(Request request, Response response) {
        int status = response.getStatus();
        long nanos = NanoTime.since(request.getBeginNanoTime());
        RequestContext context = RequestContext.of(request).orElse(null);
        String endpoint = context == null ? "unknown" : context.endpoint();
        metrics.answered(endpoint, status);
        if (context != null && status == 200 && !context.model().isEmpty()) {
            metrics.inferred(context.model(), nanos);
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", Instant.now().toString());
        line.put("remote", Request.getRemoteAddr(request));
        line.put("method", request.getMethod());
        line.put("path", Text.shortened(String.valueOf(request.getHttpURI().getPath()), MAX_PATH));
        line.put("status", status);
        line.put("millis", Math.round(nanos / 1e3) / 1e3);
        line.put("bytesIn", Request.getContentBytesRead(request));
        line.put("bytesOut", Response.getContentBytesWritten(response));
        if (context != null && !context.model().isEmpty()) {
            line.put("model", context.model());
            line.put("images", context.images());
        }
        if (context != null && !context.key().isEmpty()) {
            line.put("key", context.key());
        }
        lines.accept(Json.text(line));
    }
}
