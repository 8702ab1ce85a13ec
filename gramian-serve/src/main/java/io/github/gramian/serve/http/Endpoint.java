package io.github.gramian.serve.http;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Answers calls of one address and method. It may throw whatever {@link Failures} knows. */
interface Endpoint {

    /** Starts to answer; no thread waits for the end. */
    CompletableFuture<Answer> answer(Call call);

    /** One that has its answer at once. */
    static Endpoint quick(Function<Call, Answer> answer) {
        return call -> CompletableFuture.completedFuture(answer.apply(call));
    }
}
