package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.NeighbourSearch;
import io.github.gramian.serve.decoding.internal.InferencePipeline;
import io.github.gramian.serve.model.internal.Lease;
import io.github.gramian.serve.model.internal.ModelRepository;
import io.github.gramian.serve.model.internal.ServedIndex;
import io.github.gramian.serve.model.internal.ServedModel;
import io.github.gramian.serve.protocol.internal.FormImage;
import io.github.gramian.serve.protocol.internal.ImageInput;
import io.github.gramian.serve.protocol.internal.InferRequestReader;
import io.github.gramian.serve.protocol.internal.PhotoOptions;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Endpoints that take one image as the body or as the field {@code image} of a form, and answer with plain JSON. */
final class PhotoEndpoint {

    private static final int MAX_CLASSES = 1_000_000;

    /** What the page shows if the model can give it. */
    private static final int PAGE_CLASSES = 8;

    private static final double PAGE_COVERAGE = 0.9;

    private static final NeighbourSearch.Query PAGE_NEIGHBOURS = new NeighbourSearch.Query(8, List.of());

    private final ModelRepository models;
    private final InferencePipeline inference;
    private final Optional<ServedIndex> index;
    private final Duration deadline;
    private final Executor threads;

    PhotoEndpoint(
            ModelRepository models,
            InferencePipeline inference,
            Optional<ServedIndex> index,
            Duration deadline,
            Executor threads) {
        this.models = models;
        this.index = index;
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
                    context.query("top", 5, 1, MAX_CLASSES), context.certainty());
            return answer(context, new Content() {
                @Override
                public void check(ServedModel model) {
                    options.require(outputs(model));
                }

                @Override
                public void add(ServedModel model, Reading reading, Map<String, Object> answer) {
                    options.addTo(answer, reading.prediction(), outputs(model));
                }
            });
        };
    }

    private static ReferenceOutputs outputs(ServedModel model) {
        return new ReferenceOutputs(model.predictor().reference(), false);
    }

    /** {@code POST /describe}: the descriptor. */
    Endpoint describe() {
        return context -> answer(context, (model, reading, answer) -> answer.put("descriptor", reading.descriptor()));
    }

    /** {@code POST /similar[?top=20&filter=label=oak]}: the most similar photographs of the index. */
    Endpoint similar() {
        return context -> {
            ServedIndex searched = index.orElseThrow(() ->
                    new RequestException(404, "this server has no index of photographs; start it with --index INDEX"));
            NeighbourSearch.Query query = new NeighbourSearch.Query(
                    context.query("top", NeighbourSearch.Query.DEFAULT_TOP, 1, InferRequestReader.MAX_NEIGHBOURS),
                    context.queries("filter"));
            PhotoEndpoint.check(searched, query);
            boolean open =
                    context.query("model").isEmpty() && context.query("version").isEmpty();
            Optional<ModelAddress> named = open
                    ? models.all().stream()
                            .filter(searched::isOf)
                            .findFirst()
                            .map(ServedModel::spec)
                            .map(spec -> new ModelAddress(spec.name(), Optional.of(spec.version())))
                    : Optional.empty();
            return answer(context, named.orElseGet(() -> ModelAddress.ofQuery(context, models)), new Content() {
                @Override
                public void check(ServedModel model) {
                    searched.require(model);
                }

                @Override
                public void add(ServedModel model, Reading reading, Map<String, Object> answer) {
                    answer.put("neighbours", members(searched.find(model, reading.descriptor(), query)));
                }
            });
        };
    }

    /** The answer for the page: classes, how certain they are, and the matrix. */
    Endpoint page() {
        return context -> answer(context, (model, reading, answer) -> {
            boolean sets = outputs(model).sets();
            CertaintyRequest certainty = sets ? new CertaintyRequest(PAGE_COVERAGE, null) : CertaintyRequest.NONE;
            new PhotoOptions(PAGE_CLASSES, certainty).addTo(answer, reading.prediction(), outputs(model));
            if (sets) {
                answer.put("coverage", PAGE_COVERAGE);
            }
            index.filter(searched -> searched.isOf(model))
                    .ifPresent(searched -> answer.put(
                            "neighbours", members(searched.find(model, reading.descriptor(), PAGE_NEIGHBOURS))));
            answer.put("matrix", MatrixPicture.of(model.predictor().description(), reading.descriptor()));
        });
    }

    /** Refuses a query before an image is decoded. */
    static void check(ServedIndex index, NeighbourSearch.Query query) {
        try {
            index.check(query);
        } catch (IllegalArgumentException e) {
            throw new RequestException(400, String.valueOf(e.getMessage()));
        }
    }

    /** Members with the names that {@code gramian similar --format jsonl} has. */
    private static List<Map<String, Object>> members(List<NeighbourSearch.Neighbour> neighbours) {
        return neighbours.stream()
                .map(one -> Json.members(
                        entry("file", one.file()), entry("similarity", one.similarity()), entry("label", one.label())))
                .toList();
    }

    private CompletableFuture<HttpResult> answer(RequestContext context, Content content) {
        return answer(context, ModelAddress.ofQuery(context, models), content);
    }

    private CompletableFuture<HttpResult> answer(RequestContext context, ModelAddress address, Content content) {
        address.require(models);
        String type = context.header("Content-Type").orElse("");
        return context.body().thenCompose(body -> {
            byte[] file = FormImage.isForm(type) ? FormImage.in(body, type) : body;
            long now = System.nanoTime();
            Lease lease = address.lease(models);
            ServedModel model = lease.model();
            try {
                content.check(model);
            } catch (RuntimeException e) {
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
                                answer.put("modelSha256", model.sha256());
                                content.add(model, readings.get(0), answer);
                                return HttpResult.ok(answer);
                            },
                            threads);
        });
    }
}
