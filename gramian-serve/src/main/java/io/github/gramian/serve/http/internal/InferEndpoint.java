package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.GramianVersion;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.NeighbourSearch.Neighbour;
import io.github.gramian.serve.http.internal.Router.Models;
import io.github.gramian.serve.inference.internal.ModelRepository.Lease;
import io.github.gramian.serve.inference.internal.ServedModel;
import io.github.gramian.serve.protocol.internal.InferRequest;
import io.github.gramian.serve.protocol.internal.InferRequest.InferLimits;
import io.github.gramian.serve.protocol.internal.InferResponse;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The models by the Open Inference Protocol: {@code POST /v2/models/M[/versions/V]/infer}, and the metadata. */
final class InferEndpoint {

    private static final String HEADER_LENGTH = "Inference-Header-Content-Length";
    private static final String NAME = "gramian";

    private final Models served;
    private final ImageLimits limits;

    InferEndpoint(Models served, ImageLimits limits) {
        this.served = served;
        this.limits = limits;
    }

    CompletableFuture<HttpResult> infer(RequestContext context, String name, Optional<String> version) {
        served.repository().require(name, version);
        OptionalInt headerLength = headerLength(context);
        return context.body()
                .thenCompose(body -> infer(context, served.repository().lease(name, version), body, headerLength));
    }

    private static OptionalInt headerLength(RequestContext context) {
        Optional<String> text = context.header(HEADER_LENGTH);
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        if (!text.get().matches("\\d{1,9}")) {
            throw new RequestException(400, HEADER_LENGTH + " must be the number of bytes of the JSON");
        }
        return OptionalInt.of(Integer.parseInt(text.get()));
    }

    private CompletableFuture<HttpResult> infer(
            RequestContext context, Lease lease, byte[] body, OptionalInt headerLength) {
        long now = System.nanoTime();
        ServedModel model = lease.model();
        InferRequest request;
        try {
            InferLimits most = new InferLimits(model.batcher().limits().queue(), limits);
            request = InferRequest.read(body, headerLength, most, outputs(model));
            request.neighbours()
                    .ifPresent(query -> PhotoEndpoint.check(served.index().orElseThrow(), query));
        } catch (RuntimeException | Error failure) { // such as pixels that need more memory than there is
            lease.close();
            throw failure;
        }
        context.note(model.spec().toString(), request.images().size());
        long deadline = served.deadline().toNanos();
        long given = request.timeoutMicros() == 0
                ? deadline
                : Math.min(deadline, TimeUnit.MICROSECONDS.toNanos(request.timeoutMicros()));
        return served.inference()
                .read(lease, context.client(), request.images(), now + given)
                .thenApplyAsync(readings -> answer(model, request, readings), served.threads());
    }

    /** The optional outputs of a model. */
    private ReferenceOutputs outputs(ServedModel model) {
        boolean searchable = served.index().isPresent() && served.index().get().isOf(model);
        return new ReferenceOutputs(
                model.predictor().reference(), model.predictor().findsDefects(), searchable);
    }

    private HttpResult answer(ServedModel model, InferRequest request, List<Reading> readings) {
        List<List<Neighbour>> neighbours = request.neighbours()
                .map(query -> readings.stream()
                        .map(reading -> served.index().orElseThrow().find(model, reading.descriptor(), query))
                        .toList())
                .orElse(List.of());
        InferResponse response = InferResponse.of(
                new InferResponse.ModelName(model.spec().name(), model.spec().version(), model.sha256()),
                request,
                readings,
                neighbours,
                CertaintyRequest.sets(request.coverage())
                        .notes(model.predictor().reference()));
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

    /** {@code GET /v2}. */
    static Map<String, Object> server() {
        return Json.members(
                entry("name", NAME),
                entry("version", GramianVersion.text()),
                entry("extensions", List.of("binary_tensor_data", "classification")));
    }

    /** {@code GET /v2/models/M[/versions/V]}. */
    HttpResult metadata(String name, Optional<String> version) {
        try (Lease lease = served.repository().lease(name, version)) {
            ServedModel model = lease.model();
            return HttpResult.ok(Json.members(
                    entry("name", model.spec().name()),
                    entry("versions", List.copyOf(served.repository().versions(name))),
                    entry("platform", NAME),
                    entry("inputs", List.of(tensor("image", "BYTES", -1))),
                    entry("outputs", tensors(model)),
                    entry(
                            "parameters",
                            Json.members(
                                    entry("version", model.spec().version()),
                                    entry("modelSha256", model.sha256()),
                                    entry("classes", model.predictor().classes())))));
        }
    }

    private List<Map<String, Object>> tensors(ServedModel model) {
        BatchPredictor predictor = model.predictor();
        ReferenceOutputs optional = outputs(model);
        List<Map<String, Object>> tensors = new ArrayList<>();
        if (!optional.defects()) {
            tensors.add(tensor("probabilities", "FP32", -1, predictor.classes().size()));
        }
        tensors.add(tensor("label", "BYTES", -1));
        tensors.add(tensor("descriptor", "FP32", -1, predictor.descriptorLength()));
        if (optional.novelty()) {
            tensors.add(tensor("novelty", "FP64", -1, 1));
        }
        if (optional.sets()) {
            tensors.add(tensor("set", "BYTES", -1, -1));
        }
        if (optional.neighbours()) {
            tensors.add(tensor("neighbours", "BYTES", -1, -1));
        }
        return tensors;
    }

    private static Map<String, Object> tensor(String name, String datatype, Integer... shape) {
        return Json.members(entry("name", name), entry("datatype", datatype), entry("shape", List.of(shape)));
    }
}
