package io.github.gramian.serve.http.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Whether new requests should come here: ready until the server is asked to end, not while it drains. */
final class ServerState {

    private volatile boolean draining;
    private final CompletableFuture<HttpResult> ended = new CompletableFuture<>();

    boolean ready() {
        return !draining;
    }

    void drain() {
        draining = true;
    }

    /** After this time, every request that has no answer yet gets one that says so. */
    void endAfter(Duration limit) {
        var unused = ended.completeOnTimeout(
                HttpResult.error(503, HttpSentences.of(503, null)), limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** An answer, or the one of {@link #endAfter} if that comes first: no request hangs because its work does. */
    CompletableFuture<HttpResult> orEnded(CompletableFuture<HttpResult> answer) {
        return answer.applyToEither(ended, first -> first);
    }
}
