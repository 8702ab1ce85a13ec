package io.github.gramian.serve.http.internal;

import static java.util.Map.entry;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.cli.chart.SimilarOrder;
import io.github.gramian.cli.chart.WhereOverlay;
import io.github.gramian.cli.report.MapPicture;
import io.github.gramian.cli.report.Thumbnails;
import io.github.gramian.eval.Prediction;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Reading;
import io.github.gramian.model.config.AggregatorConfig;
import io.github.gramian.model.config.BranchConfig;
import io.github.gramian.model.explain.internal.Explainer;
import io.github.gramian.model.explain.internal.Explanation;
import io.github.gramian.model.internal.ModelDescription;
import io.github.gramian.model.internal.NeighbourSearch;
import io.github.gramian.serve.http.internal.Router.Models;
import io.github.gramian.serve.inference.internal.ModelRepository.Lease;
import io.github.gramian.serve.inference.internal.ServedIndex;
import io.github.gramian.serve.inference.internal.ServedModel;
import io.github.gramian.serve.protocol.internal.FormImage;
import io.github.gramian.serve.protocol.internal.InferRequest;
import io.github.gramian.serve.protocol.internal.InferRequest.ImageInput;
import io.github.gramian.serve.protocol.internal.ReferenceOutputs;
import io.github.gramian.serve.protocol.internal.RequestException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Endpoints that take one image as the body or as the field {@code image} of a form, and answer with plain JSON:
 * {@code /predict}, {@code /describe}, {@code /similar}, {@code /explain}, {@code /map} and what the page shows.
 */
final class PhotoEndpoint {

    private static final int MAX_CLASSES = 1_000_000;

    /** What the page shows if the model can give it. */
    private static final int PAGE_CLASSES = 8;

    private static final double PAGE_COVERAGE = 0.9;

    /** P-value below which a place of a map is unknown, if the request has none. */
    private static final double UNKNOWN = 0.05;

    private static final NeighbourSearch.Query PAGE_NEIGHBOURS = new NeighbourSearch.Query(8, List.of());

    private final Models served;

    private final Optional<Thumbnails> thumbnails;

    PhotoEndpoint(Models served) {
        this.served = served;
        this.thumbnails = served.photographs().map(PhotoEndpoint::thumbnails);
    }

    private static Thumbnails thumbnails(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException(
                    "--index-photos needs the directory that was indexed, but " + folder + " is not a directory");
        }
        return new Thumbnails(folder.toString());
    }

    /** Adds an endpoint's part to an answer. */
    private interface Content {
        void add(ServedModel model, Reading reading, Map<String, Object> answer);
    }

    /** {@code POST /predict[?top=5&coverage=0.9&unknown=0.05]}: the most probable classes, and how certain they are. */
    CompletableFuture<HttpResult> predict(RequestContext context) {
        int top = context.query("top", 5, 1, MAX_CLASSES);
        CertaintyRequest certainty = context.certainty();
        return answer(
                context,
                version(context),
                model -> outputs(model).require(certainty),
                (model, reading, answer) -> addClasses(answer, reading.prediction(), top, certainty, outputs(model)));
    }

    /** {@code POST /describe}: the descriptor. */
    CompletableFuture<HttpResult> describe(RequestContext context) {
        return answer(
                context,
                version(context),
                model -> {},
                (model, reading, answer) -> answer.put("descriptor", reading.descriptor()));
    }

    /** {@code POST /similar[?top=20&filter=label=oak]}: the most similar photographs of the index. */
    CompletableFuture<HttpResult> similar(RequestContext context) {
        ServedIndex index = served.index()
                .orElseThrow(() -> new RequestException(
                        404, "this server has no index of photographs; start it with --index INDEX"));
        NeighbourSearch.Query query = new NeighbourSearch.Query(
                context.query("top", NeighbourSearch.Query.DEFAULT_TOP, 1, InferRequest.MAX_NEIGHBOURS),
                context.queries("filter"));
        check(index, query);
        boolean open =
                context.query("model").isEmpty() && context.query("version").isEmpty();
        Version own = served.repository().all().stream()
                .filter(model -> open && index.isOf(model))
                .findFirst()
                .map(model -> new Version(
                        model.spec().name(), Optional.of(model.spec().version())))
                .orElseGet(() -> version(context));
        return answer(
                context,
                own,
                index::require,
                (model, reading, answer) -> answer.put(
                        "neighbours",
                        index.find(model, reading.descriptor(), query).stream()
                                .map(PhotoEndpoint::members)
                                .toList()));
    }

    /** The answer for the page: classes, how certain they are, and the matrix. */
    CompletableFuture<HttpResult> page(RequestContext context) {
        return answer(context, version(context), model -> {}, (model, reading, answer) -> {
            boolean sets = outputs(model).sets();
            CertaintyRequest certainty = sets ? new CertaintyRequest(PAGE_COVERAGE, null) : CertaintyRequest.NONE;
            addClasses(answer, reading.prediction(), PAGE_CLASSES, certainty, outputs(model));
            if (sets) {
                answer.put("coverage", PAGE_COVERAGE);
            }
            served.index()
                    .filter(index -> index.isOf(model))
                    .ifPresent(index ->
                            answer.put("neighbours", shown(index.find(model, reading.descriptor(), PAGE_NEIGHBOURS))));
            answer.put("explained", model.explanations().isPresent());
            answer.put("mapped", model.maps().isPresent());
            if (!outputs(model).defects()) {
                answer.put("matrix", MatrixPicture.of(model.predictor().description(), reading.descriptor()));
            }
        });
    }

    /**
     * {@code POST /map[?unknown=0.05][&format=json|png]}: which class is where on the whole photograph, or where a part has a
     * defect. Maps wait in their own queue.
     */
    CompletableFuture<HttpResult> map(RequestContext context) {
        boolean picture = wantsPicture(context);
        return map(context, (model, drawing) -> {
            if (picture) {
                return new HttpResult(200, "image/png", drawing.overlaid(), Map.of());
            }
            Map<String, Object> answer = named(model);
            drawing.addTo(answer, model.predictor().classes());
            return HttpResult.ok(answer);
        });
    }

    /** The same for the page: the picture, and what its colours mean. */
    CompletableFuture<HttpResult> pageMap(RequestContext context) {
        return map(
                context,
                (model, drawing) -> HttpResult.ok(Json.members(
                        entry(
                                "picture",
                                "data:image/png;base64," + Base64.getEncoder().encodeToString(drawing.overlaid())),
                        entry("areas", drawing.areas(model.predictor().classes())))));
    }

    private CompletableFuture<HttpResult> map(
            RequestContext context, BiFunction<ServedModel, MapPicture, HttpResult> result) {
        double unknown = Optional.ofNullable(context.certainty().unknown()).orElse(UNKNOWN);
        return withImage(context, version(context), PhotoEndpoint::requireMaps, (lease, image, deadline) -> {
            ServedModel model = lease.model();
            int classes = model.predictor().classes().size();
            return served.inference()
                    .map(lease, context.client(), image, deadline)
                    .thenApplyAsync(
                            one -> result.apply(model, new MapPicture(one.photograph(), one.map(), classes, unknown)),
                            served.threads());
        });
    }

    private static void requireMaps(ServedModel model) {
        if (model.maps().isEmpty()) {
            throw new RequestException(
                    501,
                    "the model " + model.spec()
                            + " has no maps; train it again with --map, or with --good for defects");
        }
    }

    /**
     * {@code POST /explain[?class=NAME][&format=json|png]}: where the model looked, as a grid of contributions or as a picture.
     * Explanations wait in their own queue.
     */
    CompletableFuture<HttpResult> explain(RequestContext context) {
        boolean picture = wantsPicture(context);
        Optional<String> className = context.query("class");
        return withImage(
                context,
                version(context),
                model -> {
                    var unused = subject(model, className);
                },
                (lease, image, deadline) -> {
                    ServedModel model = lease.model();
                    return served.inference()
                            .explain(lease, context.client(), image, subject(model, className), deadline)
                            .thenApplyAsync(
                                    explanation -> picture
                                            ? new HttpResult(200, "image/png", WhereOverlay.png(explanation), Map.of())
                                            : json(model, explanation),
                                    served.threads());
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

    /** Which model a request is for. */
    private record Version(String name, Optional<String> version) {}

    /** From the query: {@code ?model=fabrics&version=2}; without it the first model. */
    private Version version(RequestContext context) {
        String name = context.query("model").orElse(served.repository().defaultName());
        return new Version(name, context.query("version"));
    }

    private static ReferenceOutputs outputs(ServedModel model) {
        return new ReferenceOutputs(
                model.predictor().reference(), model.predictor().findsDefects(), false);
    }

    /** What is done with an image and a leased model until a deadline; it gives the lease back. */
    private interface Work {
        CompletableFuture<HttpResult> start(Lease lease, ImageInput image, long deadline);
    }

    private CompletableFuture<HttpResult> answer(
            RequestContext context, Version version, Consumer<ServedModel> check, Content content) {
        return withImage(context, version, check, (lease, image, deadline) -> {
            ServedModel model = lease.model();
            return served.inference()
                    .read(lease, context.client(), List.of(image), deadline)
                    .thenApplyAsync(
                            readings -> {
                                Map<String, Object> answer = named(model);
                                content.add(model, readings.get(0), answer);
                                return HttpResult.ok(answer);
                            },
                            served.threads());
        });
    }

    /**
     * Reads the image and then leases the model: a slow sender must not keep a replaced model alive.
     *
     * @param check refuses a request that the model cannot answer, before the body is read and before the image is decoded
     */
    private CompletableFuture<HttpResult> withImage(
            RequestContext context, Version version, Consumer<ServedModel> check, Work work) {
        try (Lease lease = served.repository().lease(version.name(), version.version())) {
            check.accept(lease.model());
        }
        String type = context.header("Content-Type").orElse("");
        return context.body().thenCompose(body -> {
            byte[] file = FormImage.isForm(type) ? FormImage.in(body, type) : body;
            long now = System.nanoTime();
            Lease lease = served.repository().lease(version.name(), version.version());
            try {
                check.accept(lease.model());
            } catch (RuntimeException e) {
                lease.close();
                throw e;
            }
            context.note(lease.model().spec().toString(), 1);
            return work.start(
                    lease, new ImageInput.Encoded(file), now + served.deadline().toNanos());
        });
    }

    private static Map<String, Object> named(ServedModel model) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("model", model.spec().name());
        answer.put("version", model.spec().version());
        answer.put("modelSha256", model.sha256());
        return answer;
    }

    /**
     * Adds the classes of one photograph; the novelty only if the model has a reference. A model of good parts has no
     * probabilities, but may have found the place of a defect.
     *
     * @param top number of most probable classes
     * @param certainty the set of classes, and the novelty below which the class is unknown
     */
    private static void addClasses(
            Map<String, Object> answer,
            Prediction prediction,
            int top,
            CertaintyRequest certainty,
            ReferenceOutputs model) {
        boolean isUnknown = certainty.isUnknown(prediction.novelty());
        answer.put("class", isUnknown ? "unknown" : prediction.label());
        if (!model.defects()) {
            answer.put("probability", prediction.probability(prediction.predicted()));
            answer.put(
                    "top",
                    prediction.top(top).stream()
                            .map(one ->
                                    Json.members(entry("class", one.label()), entry("probability", one.probability())))
                            .toList());
        }
        if (certainty.coverage() != null) {
            answer.put(
                    "set",
                    prediction.set(certainty.coverage()).stream()
                            .map(Prediction.Candidate::label)
                            .toList());
        }
        prediction.novelty().ifPresent(pValue -> answer.put("novelty", pValue));
        prediction.region().ifPresent(region -> answer.put("region", region));
        if (certainty.unknown() != null) {
            answer.put("unknown", isUnknown);
        }
        List<String> notes = certainty.notes(model.reference());
        if (!notes.isEmpty()) {
            answer.put("notes", notes);
        }
    }

    /** With small copies of the photographs, if the server was given their directory. */
    private List<Map<String, Object>> shown(List<NeighbourSearch.Neighbour> neighbours) {
        return neighbours.stream()
                .map(one -> {
                    Map<String, Object> shown = new LinkedHashMap<>(members(one));
                    thumbnails.flatMap(small -> small.of(one.file())).ifPresent(copy -> shown.put("thumbnail", copy));
                    return shown;
                })
                .toList();
    }

    /** Members with the names that {@code gramian similar --format jsonl} has. */
    private static Map<String, Object> members(NeighbourSearch.Neighbour one) {
        return Json.members(
                entry("file", one.file()), entry("similarity", one.similarity()), entry("label", one.label()));
    }

    /** The class to explain; refuses models without maps and classes that do not exist. */
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

    private static HttpResult json(ServedModel model, Explanation explanation) {
        Explanation.Region region = explanation.region();
        Map<String, Object> answer = named(model);
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

    /**
     * The matrix in a descriptor, as a picture. A descriptor is the upper triangle of a branch's matrix, entries off the diagonal
     * times √2, after normalisation and centring: the matrix as the classifier sees it. Rows and columns are ordered by
     * similarity, since their own order means nothing. A descriptor that is not a triangle is shown row by row.
     *
     * @param title what is shown
     * @param width pixels
     * @param height pixels
     * @param low the value of the darkest pixel
     * @param high the value of the lightest
     * @param pixels a byte each, 0 for low and 255 for high, in base64
     */
    private record MatrixPicture(String title, int width, int height, double low, double high, String pixels) {

        /** Beyond this many rows, ordering takes noticeable time and pixels get too small to see. */
        private static final int MAX_ROWS = 192;

        /** The first branch of a descriptor. */
        static MatrixPicture of(ModelDescription description, float[] descriptor) {
            BranchConfig branch = description.network().branches().get(0);
            int channels = branch.channels(description.inputChannels().get(0));
            if (branch.aggregator() instanceof AggregatorConfig.SpdMatrix spd) {
                int size = spd.matrixSize(channels);
                int shown = Math.min(size, MAX_ROWS);
                String title = (spd.transforms().isEmpty() ? "K" : "Y = WᵀKW") + ", " + size + " × " + size
                        + (shown < size ? ", its first " + shown + " rows" : "")
                        + ", as the classifier sees it, ordered by similarity";
                return drawn(title, SimilarOrder.applied(matrix(descriptor, size, shown)));
            }
            int length = Math.min(descriptor.length, MAX_ROWS * MAX_ROWS);
            int width = Math.max(1, (int) Math.ceil(Math.sqrt(length)));
            double[][] rows = new double[(length + width - 1) / width][width];
            for (int i = 0; i < length; i++) {
                rows[i / width][i % width] = descriptor[i];
            }
            return drawn("The descriptor, row by row (this model has no kernel matrix)", rows);
        }

        private static double[][] matrix(float[] triangle, int size, int shown) {
            double[][] values = new double[shown][shown];
            for (int row = 0; row < shown; row++) {
                int start = row * size - row * (row - 1) / 2;
                for (int column = row; column < shown; column++) {
                    double entry = triangle[start + column - row];
                    values[row][column] = row == column ? entry : entry / Math.sqrt(2);
                    values[column][row] = values[row][column];
                }
            }
            return values;
        }

        private static MatrixPicture drawn(String title, double[][] rows) {
            double[] sorted = Arrays.stream(rows)
                    .flatMapToDouble(Arrays::stream)
                    .filter(Double::isFinite)
                    .sorted()
                    .toArray();
            // A few extreme entries would leave everything else in one colour.
            double low = sorted.length == 0 ? 0 : sorted[sorted.length / 100];
            double high = sorted.length == 0 ? 0 : sorted[sorted.length - 1 - sorted.length / 100];
            int width = rows[0].length;
            byte[] pixels = new byte[width * rows.length];
            for (int i = 0; i < pixels.length; i++) {
                double value = rows[i / width][i % width];
                double share = high > low ? (value - low) / (high - low) : 0;
                pixels[i] = (byte) Math.round(255 * Math.max(0, Math.min(1, share)));
            }
            return new MatrixPicture(
                    title, width, rows.length, low, high, Base64.getEncoder().encodeToString(pixels));
        }
    }
}
