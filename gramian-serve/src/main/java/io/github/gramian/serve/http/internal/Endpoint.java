package io.github.gramian.serve.http.internal;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Answers calls of one address and method. It may throw whatever {@link Failures} knows. */
interface Endpoint {

    /** Starts to answer; no thread waits for the end. */
    CompletableFuture<HttpResult> answer(RequestContext context);

    /** One that has its answer at once. */
    static Endpoint quick(Function<RequestContext, HttpResult> answer) {
        return context -> CompletableFuture.completedFuture(answer.apply(context));
    }
}
