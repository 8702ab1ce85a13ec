package io.github.gramian.serve.http;

import io.github.gramian.io.internal.Text;
import io.github.gramian.json.internal.Json;
import io.github.gramian.serve.metrics.ServerMetrics;
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

    private static final int LONGEST_PATH = 256;

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
        Call call = Call.of(request).orElse(null);
        String endpoint = call == null ? "unknown" : call.endpoint();
        metrics.answered(endpoint, status);
        if (call != null && status == 200 && !call.model().isEmpty()) {
            metrics.inferred(call.model(), nanos);
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", Instant.now().toString());
        line.put("remote", Request.getRemoteAddr(request));
        line.put("method", request.getMethod());
        line.put("path", Text.shortened(String.valueOf(request.getHttpURI().getPath()), LONGEST_PATH));
        line.put("status", status);
        line.put("millis", Math.round(nanos / 1e3) / 1e3);
        line.put("bytesIn", Request.getContentBytesRead(request));
        line.put("bytesOut", Response.getContentBytesWritten(response));
        if (call != null && !call.model().isEmpty()) {
            line.put("model", call.model());
            line.put("images", call.images());
        }
        if (call != null && !call.key().isEmpty()) {
            line.put("key", call.key());
        }
        lines.accept(Json.text(line));
    }
}
