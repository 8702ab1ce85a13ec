package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.batch.internal.QueueFullException;
import io.github.gramian.serve.batch.internal.TooLateException;
import io.github.gramian.serve.model.internal.UnknownModelException;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;

/** The results of failed requests. The list is in docs/http.md. */
final class Failures {

    private static final Logger LOG = System.getLogger("io.github.gramian.serve");

    private Failures() {}

    static HttpResult of(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        if (cause instanceof RequestException wrong) {
            return HttpResult.error(wrong.status(), String.valueOf(wrong.getMessage()));
        }
        if (cause instanceof QueueFullException full) {
            return HttpResult.error(429, String.valueOf(full.getMessage())).with("Retry-After", "1");
        }
        if (cause instanceof TooLateException late) {
            return HttpResult.error(504, String.valueOf(late.getMessage()));
        }
        if (cause instanceof UnknownModelException unknown) {
            return HttpResult.error(404, String.valueOf(unknown.getMessage()));
        }
        if (cause instanceof TimeoutException) {
            return HttpResult.error(408, "the request arrived too slowly").with("Connection", "close");
        }
        if (cause instanceof HttpException http) {
            return HttpResult.error(http.getCode(), HttpSentences.of(http.getCode(), http.getReason()));
        }
        if (cause instanceof RejectedExecutionException) {
            return HttpResult.error(503, HttpSentences.of(503, null));
        }
        if (cause instanceof OutOfMemoryError) {
            LOG.log(Level.WARNING, "a request needed more memory than there is: " + cause.getMessage());
            return HttpResult.error(503, "the server does not have enough memory for this request now")
                    .with("Retry-After", "5");
        }
        if (!(cause instanceof IOException)) {
            LOG.log(Level.ERROR, "a request failed", cause);
            return HttpResult.error(500, "internal server error; see the server's log");
        }
        return HttpResult.error(400, "the request ended before it was complete");
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown instanceof CompletionException && cause != null ? unwrapped(cause) : thrown;
    }
}
