package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Reading;
import io.github.gramian.serve.decoding.internal.InferencePipeline;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ServedModel;
import io.github.gramian.serve.protocol.internal.FormImage;
import io.github.gramian.serve.protocol.internal.ImageInput;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Endpoints that take one image as the body or as the field {@code image} of a form, and answer with plain JSON. */
final class PhotoEndpoint {

    private static final int MAX_CLASSES = 1_000_000;

    private final ModelRepository models;
    private final InferencePipeline inference;
    private final Duration deadline;
    private final Executor threads;

    PhotoEndpoint(ModelRepository models, InferencePipeline inference, Duration deadline, Executor threads) {
        this.models = models;
        this.inference = inference;
        this.deadline = deadline;
        this.threads = threads;
    }

    /** Adds an endpoint's part to an answer. */
    interface Content {
        void add(ServedModel model, Reading reading, Map<String, Object> answer);
    }

    /** {@code POST /predict[?top=5]}: the most probable classes. */
    Endpoint predict() {
        return context -> {
            int top = context.query("top", 5, 1, MAX_CLASSES);
            return answer(context, (model, reading, answer) -> addClasses(reading, top, answer));
        };
    }

    /** {@code POST /describe}: the descriptor. */
    Endpoint describe() {
        return context -> answer(context, (model, reading, answer) -> answer.put("descriptor", reading.descriptor()));
    }

    /** The answer for the page: classes and the matrix. */
    Endpoint page() {
        return context -> answer(context, (model, reading, answer) -> {
            addClasses(reading, 8, answer);
            answer.put("matrix", MatrixPicture.of(model.predictor().description(), reading.descriptor()));
        });
    }

    private static void addClasses(Reading reading, int top, Map<String, Object> answer) {
        answer.put("class", reading.prediction().label());
        answer.put(
                "probability",
                reading.prediction().probability(reading.prediction().predicted()));
        answer.put(
                "top",
                reading.prediction().top(top).stream()
                        .map(one -> Json.members(entry("class", one.label()), entry("probability", one.probability())))
                        .toList());
    }

    private CompletableFuture<HttpResult> answer(RequestContext context, Content content) {
        ModelAddress address = ModelAddress.ofQuery(context, models);
        address.require(models);
        String type = context.header("Content-Type").orElse("");
        return context.body().thenCompose(body -> {
            byte[] file = FormImage.isForm(type) ? FormImage.in(body, type) : body;
            long now = System.nanoTime();
            Lease lease = address.lease(models);
            ServedModel model = lease.model();
            context.note(model.spec().toString(), 1);
            return inference
                    .read(lease, context.client(), List.of(new ImageInput.Encoded(file)), now + deadline.toNanos())
                    .thenApplyAsync(
                            readings -> {
                                Map<String, Object> answer = new LinkedHashMap<>();
                                answer.put("model", model.spec().name());
                                answer.put("version", model.spec().version());
                                content.add(model, readings.get(0), answer);
                                return HttpResult.ok(answer);
                            },
                            threads);
        });
    }
}
