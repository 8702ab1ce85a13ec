package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.serve.decoding.internal.InferencePipeline;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ServedModel;
import io.github.gramian.serve.protocol.internal.FormImage;
import io.github.gramian.serve.protocol.internal.ImageInput;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * {@code POST /explain[?class=NAME][&format=json|png]}: where the model looked, as a grid of contributions or as a picture.
 * Images, limits and deadlines are those of {@code /predict}; explanations wait in their own queue.
 */
final class ExplainEndpoint {

    private final ModelRepository models;
    private final InferencePipeline inference;
    private final Duration deadline;
    private final Executor threads;

    ExplainEndpoint(ModelRepository models, InferencePipeline inference, Duration deadline, Executor threads) {
        this.models = models;
        this.inference = inference;
        this.deadline = deadline;
        this.threads = threads;
    }

    Endpoint explain() {
        return context -> {
            boolean picture = wantsPicture(context);
            Optional<String> className = context.query("class");
            ModelAddress address = ModelAddress.ofQuery(context, models);
            try (Lease lease = address.lease(models)) {
                subject(lease.model(), className); // before the body is read
            }
            String type = context.header("Content-Type").orElse("");
            return context.body().thenCompose(body -> {
                byte[] file = FormImage.isForm(type) ? FormImage.in(body, type) : body;
                return answer(context, address, file, className)
                        .thenApplyAsync(found -> picture ? png(found.explanation()) : json(found), threads);
            });
        };
    }

    /** An explanation with the model that gave it. */
    private record Found(ServedModel model, Explanation explanation) {}

    private CompletableFuture<Found> answer(
            RequestContext context, ModelAddress address, byte[] file, Optional<String> className) {
        long now = System.nanoTime();
        Lease lease = address.lease(models);
        ServedModel model = lease.model();
        Optional<Integer> subject;
        try {
            subject = subject(model, className);
        } catch (RuntimeException e) {
            lease.close();
            throw e;
        }
        context.note(model.spec().toString(), 1);
        return inference
                .explain(lease, context.client(), new ImageInput.Encoded(file), subject, now + deadline.toNanos())
                .thenApply(explanation -> new Found(model, explanation));
    }

    /** The class that was asked for; refuses models without maps and classes that do not exist. */
    private static Optional<Integer> subject(ServedModel model, Optional<String> className) {
        if (model.explanations().isEmpty()) {
            throw new RequestException(
                    501,
                    "the model " + model.spec() + " cannot be explained, because "
                            + Explainer.obstacle(model.predictor()).orElseThrow());
        }
        return className.map(name -> {
            int index = model.predictor().classes().indexOf(name);
            if (index < 0) {
                throw new RequestException(
                        400, "the model " + model.spec() + " has no such class; give one of its class names");
            }
            return index;
        });
    }

    /** The format of the query, or else that of the Accept header; JSON if neither asks for a picture. */
    private static boolean wantsPicture(RequestContext context) {
        Optional<String> format = context.query("format");
        if (format.isPresent()) {
            return switch (format.get()) {
                case "png" -> true;
                case "json" -> false;
                default -> throw new RequestException(400, "format must be json or png");
            };
        }
        String accepted = context.header("Accept").orElse("").toLowerCase(Locale.ROOT);
        return accepted.contains("image/") && !accepted.contains(HttpResult.JSON);
    }

    private static HttpResult png(Explanation explanation) {
        return new HttpResult(200, "image/png", WhereOverlay.png(explanation), Map.of());
    }

    private static HttpResult json(Found found) {
        Explanation explanation = found.explanation();
        Explanation.Region region = explanation.region();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("model", found.model().spec().name());
        answer.put("version", found.model().spec().version());
        answer.put("modelSha256", found.model().sha256());
        answer.put("class", explanation.className());
        answer.put("probability", explanation.probability());
        answer.put("predicted", explanation.prediction().label());
        answer.put(
                "region",
                Json.members(
                        entry("left", region.left()),
                        entry("top", region.top()),
                        entry("width", region.width()),
                        entry("height", region.height())));
        answer.put("contributions", List.of(explanation.contributions()));
        return HttpResult.ok(answer);
    }
}
