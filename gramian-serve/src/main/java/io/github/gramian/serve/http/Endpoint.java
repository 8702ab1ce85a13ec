package io.github.gramian.serve.http;

import java.util.concurrent.CompletableFuture;

/** Answers calls of one address and method. It may throw whatever {@link Failures} knows. */
interface Endpoint {

    CompletableFuture<Answer> answer(Call call);

    /** One that has its answer at once. */
    static Endpoint quick(java.util.function.Function<Call, Answer> answer) {
        return call -> CompletableFuture.completedFuture(answer.apply(call));
    }
}
