package io.github.gramian.serve.http.internal;

import io.github.gramian.model.Reading;
import io.github.gramian.serve.decoding.internal.InferencePipeline;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ServedModel;
import io.github.gramian.serve.protocol.internal.FormImage;
import io.github.gramian.serve.protocol.internal.ImageInput;
import io.github.gramian.serve.protocol.internal.PhotoOptions;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Endpoints that take one image as the body or as the field {@code image} of a form, and answer with plain JSON. */
final class PhotoEndpoint {

    private static final int MAX_CLASSES = 1_000_000;

    /** What the page shows if the model can give it. */
    private static final int PAGE_CLASSES = 8;

    private static final double PAGE_COVERAGE = 0.9;

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
        /** Refuses a request that the model cannot answer, before its image is decoded. */
        default void check(ServedModel model) {}

        void add(ServedModel model, Reading reading, Map<String, Object> answer);
    }

    /** {@code POST /predict[?top=5&coverage=0.9&unknown=0.05]}: the most probable classes, and how certain they are. */
    Endpoint predict() {
        return context -> {
            PhotoOptions options = new PhotoOptions(
                    context.query("top", 5, 1, MAX_CLASSES),
                    context.share("coverage", "0.9"),
                    context.share("unknown", "0.05"));
            return answer(context, new Content() {
                @Override
                public void check(ServedModel model) {
                    options.require(outputs(model));
                }

                @Override
                public void add(ServedModel model, Reading reading, Map<String, Object> answer) {
                    options.addTo(answer, reading.prediction());
                }
            });
        };
    }

    private static ReferenceOutputs outputs(ServedModel model) {
        return ReferenceOutputs.of(model.predictor().reference());
    }

    /** {@code POST /describe}: the descriptor. */
    Endpoint describe() {
        return context -> answer(context, (model, reading, answer) -> answer.put("descriptor", reading.descriptor()));
    }

    /** The answer for the page: classes, how certain they are, and the matrix. */
    Endpoint page() {
        return context -> answer(context, (model, reading, answer) -> {
            OptionalDouble coverage = outputs(model).sets() ? OptionalDouble.of(PAGE_COVERAGE) : OptionalDouble.empty();
            new PhotoOptions(PAGE_CLASSES, coverage, OptionalDouble.empty()).addTo(answer, reading.prediction());
            coverage.ifPresent(level -> answer.put("coverage", level));
            answer.put("matrix", MatrixPicture.of(model.predictor().description(), reading.descriptor()));
        });
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
            try {
                content.check(model);
            } catch (RequestException e) {
                lease.close();
                throw e;
            }
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
