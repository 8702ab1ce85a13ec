package io.github.gramian.serve.http.internal;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.decoding.internal.InferencePipeline;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ModelSpec;
import io.github.gramian.serve.protocol.internal.InferLimits;
import io.github.gramian.serve.protocol.internal.InferRequest;
import io.github.gramian.serve.protocol.internal.InferRequestReader;
import io.github.gramian.serve.protocol.internal.InferResponse;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** {@code POST /v2/models/M[/versions/V]/infer}. */
final class InferEndpoint {

    static final String HEADER_LENGTH = "Inference-Header-Content-Length";

    private final ModelRepository models;
    private final InferencePipeline inference;
    private final ImageLimits limits;
    private final Duration deadline;
    private final Executor threads;

    /** @param threads on which answers are written, not on that of the batches */
    InferEndpoint(
            ModelRepository models,
            InferencePipeline inference,
            ImageLimits limits,
            Duration deadline,
            Executor threads) {
        this.models = models;
        this.inference = inference;
        this.limits = limits;
        this.deadline = deadline;
        this.threads = threads;
    }

    Endpoint of(ModelAddress address) {
        return context -> {
            address.require(models);
            OptionalInt headerLength = headerLength(context);
            return context.body().thenCompose(body -> infer(context, address, body, headerLength));
        };
    }

    private static OptionalInt headerLength(RequestContext context) {
        return context.header(HEADER_LENGTH)
                .map(text -> {
                    if (!text.matches("\\d{1,9}")) {
                        throw new RequestException(400, HEADER_LENGTH + " must be the number of bytes of the JSON");
                    }
                    return OptionalInt.of(Integer.parseInt(text));
                })
                .orElse(OptionalInt.empty());
    }

    private CompletableFuture<HttpResult> infer(
            RequestContext context, ModelAddress address, byte[] body, OptionalInt headerLength) {
        long now = System.nanoTime();
        Lease lease = address.lease(models);
        ModelSpec spec = lease.model().spec();
        InferRequest request;
        try {
            int most = lease.model().batcher().limits().queue();
            ReferenceOutputs outputs =
                    ReferenceOutputs.of(lease.model().predictor().reference());
            request = InferRequestReader.read(body, headerLength, new InferLimits(most, limits), outputs);
        } catch (RuntimeException | Error failure) { // such as pixels that need more memory than there is
            lease.close();
            throw failure;
        }
        context.note(spec.toString(), request.images().size());
        long given = request.timeoutMicros() == 0
                ? deadline.toNanos()
                : Math.min(deadline.toNanos(), TimeUnit.MICROSECONDS.toNanos(request.timeoutMicros()));
        return inference
                .read(lease, context.client(), request.images(), now + given)
                .thenApplyAsync(
                        readings -> answer(InferResponse.of(spec.name(), spec.version(), request, readings)), threads);
    }

    private static HttpResult answer(InferResponse response) {
        return response.headerLength().isEmpty()
                ? new HttpResult(200, HttpResult.JSON, response.body(), Map.of())
                : new HttpResult(
                        200,
                        "application/octet-stream",
                        response.body(),
                        Map.of(
                                HEADER_LENGTH,
                                Integer.toString(response.headerLength().getAsInt())));
    }
}
