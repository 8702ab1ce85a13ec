package io.github.gramian.serve.http.internal;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.NeighbourSearch.Neighbour;
import io.github.gramian.serve.decoding.internal.InferencePipeline;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ModelSpec;
import io.github.gramian.serve.model.internal.ServedIndex;
import io.github.gramian.serve.model.internal.ServedModel;
import io.github.gramian.serve.protocol.internal.InferLimits;
import io.github.gramian.serve.protocol.internal.InferRequest;
import io.github.gramian.serve.protocol.internal.InferRequestReader;
import io.github.gramian.serve.protocol.internal.InferResponse;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** {@code POST /v2/models/M[/versions/V]/infer}. */
final class InferEndpoint {

    static final String HEADER_LENGTH = "Inference-Header-Content-Length";

    private final ModelRepository models;
    private final InferencePipeline inference;
    private final Optional<ServedIndex> index;
    private final ImageLimits limits;
    private final Duration deadline;
    private final Executor threads;

    /** @param threads on which answers are written, not on that of the batches */
    InferEndpoint(
            ModelRepository models,
            InferencePipeline inference,
            Optional<ServedIndex> index,
            ImageLimits limits,
            Duration deadline,
            Executor threads) {
        this.models = models;
        this.inference = inference;
        this.index = index;
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
        ServedModel model = lease.model();
        ModelSpec spec = model.spec();
        InferRequest request;
        try {
            int most = model.batcher().limits().queue();
            boolean searchable = index.isPresent() && index.get().isOf(model);
            ReferenceOutputs outputs = new ReferenceOutputs(model.predictor().reference(), searchable);
            request = InferRequestReader.read(body, headerLength, new InferLimits(most, limits), outputs);
            request.neighbours().ifPresent(query -> PhotoEndpoint.check(index.orElseThrow(), query));
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
                        readings -> answer(InferResponse.of(
                                new InferResponse.ModelName(spec.name(), spec.version(), model.sha256()),
                                request,
                                readings,
                                neighbours(model, request, readings),
                                CertaintyRequest.sets(request.coverage())
                                        .notes(model.predictor().reference()))),
                        threads);
    }

    private List<List<Neighbour>> neighbours(ServedModel model, InferRequest request, List<Reading> readings) {
        return request.neighbours()
                .map(query -> readings.stream()
                        .map(reading -> index.orElseThrow().find(model, reading.descriptor(), query))
                        .toList())
                .orElse(List.of());
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
