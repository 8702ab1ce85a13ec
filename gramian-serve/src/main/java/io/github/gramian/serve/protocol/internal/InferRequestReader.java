package io.github.gramian.serve.protocol.internal;

import io.github.gramian.certainty.internal.CertaintyRequest;
import io.github.gramian.model.internal.NeighbourSearch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads requests for inference: JSON alone, JSON with tensors after it, or an image alone (a header of 0 bytes). Anything
 * else is a {@link RequestException}, whatever the bytes are.
 */
public final class InferRequestReader {

    private static final int MAX_INPUTS = 8;
    private static final int MAX_OUTPUTS = 16;
    private static final int MAX_DIMENSIONS = 8;
    private static final int MAX_ID = 1024;

    /** More neighbours than a page can show, and few enough for memory. */
    public static final int MAX_NEIGHBOURS = 1000;

    private final byte[] body;
    private final InferLimits limits;
    private final ReferenceOutputs model;
    private final List<RawTensor> inputs = new ArrayList<>();
    private final List<NamedOutput> outputs = new ArrayList<>();
    private Optional<String> id = Optional.empty();
    private boolean outputsNamed;
    private boolean binaryOutput;
    private OptionalDouble coverage = OptionalDouble.empty();
    private long timeoutMicros;
    private int top = NeighbourSearch.Query.DEFAULT_TOP;
    private final List<String> filters = new ArrayList<>();

    /** An output as the request names it: {@code binary_data} of an output goes before that of the whole request. */
    private record NamedOutput(OutputTensor tensor, int classification, Optional<Boolean> binary) {

        OutputRequest request(boolean binaryByDefault) {
            return new OutputRequest(tensor, classification, binary.orElse(binaryByDefault));
        }
    }

    private InferRequestReader(byte[] body, InferLimits limits, ReferenceOutputs model) {
        this.body = body;
        this.limits = limits;
        this.model = model;
    }

    /**
     * Reads a request.
     *
     * @param headerLength bytes of the JSON, if the request states it in {@code Inference-Header-Content-Length}
     * @param model the optional outputs that the model gives
     */
    public static InferRequest read(byte[] body, OptionalInt headerLength, InferLimits limits, ReferenceOutputs model) {
        int json = headerLength.orElse(body.length);
        if (json < 0 || json > body.length) {
            throw RequestException.malformed(
                    "Inference-Header-Content-Length is " + json + " but the body has " + body.length + " bytes");
        }
        return json == 0 && headerLength.isPresent()
                ? raw(body, limits, model)
                : new InferRequestReader(body, limits, model).read(json);
    }

    /** The body is the one image, and all outputs are wanted as bytes. */
    private static InferRequest raw(byte[] body, InferLimits limits, ReferenceOutputs model) {
        limits.checkCount(body.length == 0 ? 0 : 1);
        return new InferRequest(
                Optional.empty(),
                List.of(new ImageInput.Encoded(body)),
                all(model, false, true),
                OptionalDouble.empty(),
                Optional.empty(),
                0);
    }

    /** All outputs that the model gives, the set of classes only if a coverage was given. */
    private static List<OutputRequest> all(ReferenceOutputs model, boolean sets, boolean binary) {
        return Stream.of(OutputTensor.values())
                .filter(tensor -> model.isGiven(tensor, sets))
                .map(tensor -> new OutputRequest(tensor, 0, binary))
                .toList();
    }

    private InferRequest read(int length) {
        try (JsonReader json = JsonReader.of(body, 0, length)) {
            json.document(name -> field(json, name));
        } catch (IOException e) {
            throw RequestException.malformed(JsonReader.sentence(e));
        }
        if (inputs.size() != 1) {
            throw RequestException.malformed("a request has one input, called 'image', not " + inputs.size());
        }
        List<ImageInput> images = new TensorReader(body, length, limits).images(inputs.get(0));
        List<OutputRequest> wanted = outputsNamed
                ? outputs.stream().map(output -> output.request(binaryOutput)).toList()
                : all(model, coverage.isPresent(), binaryOutput);
        checkReference(wanted);
        Optional<NeighbourSearch.Query> neighbours =
                wanted.stream().anyMatch(output -> output.tensor() == OutputTensor.NEIGHBOURS)
                        ? Optional.of(new NeighbourSearch.Query(top, filters))
                        : Optional.empty();
        return new InferRequest(id, images, wanted, coverage, neighbours, timeoutMicros);
    }

    /** After the whole request, since the parameters may come after the outputs. */
    private void checkReference(List<OutputRequest> wanted) {
        if (coverage.isPresent()) {
            model.requireSets();
        }
        for (OutputRequest output : wanted) {
            model.require(output.tensor());
            if (output.tensor() == OutputTensor.SET && coverage.isEmpty()) {
                throw RequestException.malformed(
                        "the output 'set' needs a coverage; add it to the parameters of the request, such as"
                                + " \"parameters\": {\"coverage\": 0.9}");
            }
        }
    }

    private static OptionalDouble coverage(double level) {
        try {
            new CertaintyRequest(level, null); // refuses a coverage out of range
            return OptionalDouble.of(level);
        } catch (IllegalArgumentException e) {
            throw RequestException.malformed(String.valueOf(e.getMessage()));
        }
    }

    private static int top(long count) {
        if (count < 1 || count > MAX_NEIGHBOURS) {
            throw RequestException.malformed("top must be a whole number in 1.." + MAX_NEIGHBOURS);
        }
        return (int) count;
    }

    private void field(JsonReader json, String name) throws IOException {
        switch (name) {
            case "id" -> {
                String given = json.text("id");
                if (given.length() > MAX_ID) {
                    throw RequestException.malformed("id is longer than " + MAX_ID + " characters");
                }
                id = Optional.of(given);
            }
            case "parameters" ->
                json.object("parameters", parameter -> {
                    switch (parameter) {
                        case "binary_data_output" -> binaryOutput = json.yes(parameter);
                        case "coverage" -> coverage = coverage(json.number(parameter));
                        case "timeout" -> timeoutMicros = Math.max(0, json.whole(parameter));
                        case "top" -> top = top(json.whole(parameter));
                        case "filter" -> filters.add(json.text(parameter));
                        default -> json.skip(); // the protocol lets servers define theirs
                    }
                });
            case "inputs" -> json.array("inputs", () -> input(json));
            case "outputs" -> {
                outputsNamed = true;
                json.array("outputs", () -> output(json));
            }
            default -> json.skip();
        }
    }

    private void input(JsonReader json) throws IOException {
        if (inputs.size() == MAX_INPUTS) {
            throw RequestException.malformed("a request has one input, called 'image', not more than " + MAX_INPUTS);
        }
        RawTensor tensor = new RawTensor();
        inputs.add(tensor);
        json.object("an input", name -> {
            switch (name) {
                case "name" -> tensor.name = json.text("name");
                case "datatype" -> tensor.datatype = json.text("datatype");
                case "shape" -> tensor.shape = shape(json);
                case "data" -> {
                    tensor.hasData = true;
                    json.data(tensor.values, string -> {
                        limits.checkCount(tensor.strings.size() + 1L);
                        tensor.firstString = tensor.strings.isEmpty() ? tensor.values.count() : tensor.firstString;
                        tensor.strings.add(string);
                    });
                }
                case "parameters" ->
                    json.object("parameters", parameter -> {
                        if (parameter.equals("binary_data_size")) {
                            tensor.binarySize = OptionalLong.of(json.whole(parameter));
                        } else {
                            json.skip();
                        }
                    });
                default -> json.skip();
            }
        });
    }

    private static List<Long> shape(JsonReader json) throws IOException {
        List<Long> shape = new ArrayList<>();
        json.array("shape", () -> {
            if (shape.size() == MAX_DIMENSIONS) {
                throw RequestException.malformed("shape has more than " + MAX_DIMENSIONS + " dimensions");
            }
            shape.add(json.whole("shape"));
        });
        return shape;
    }

    private void output(JsonReader json) throws IOException {
        if (outputs.size() == MAX_OUTPUTS) {
            throw RequestException.malformed("more than " + MAX_OUTPUTS + " outputs are requested");
        }
        String[] tensor = {""};
        long[] classification = {0};
        boolean[] binary = {false};
        boolean[] binaryGiven = {false};
        json.object("an output", name -> {
            switch (name) {
                case "name" -> tensor[0] = json.text("name");
                case "parameters" ->
                    json.object("parameters", parameter -> {
                        switch (parameter) {
                            case "classification" -> classification[0] = json.whole(parameter);
                            case "binary_data" -> {
                                binary[0] = json.yes(parameter);
                                binaryGiven[0] = true;
                            }
                            default -> json.skip();
                        }
                    });
                default -> json.skip();
            }
        });
        OutputTensor wanted = OutputTensor.named(tensor[0]);
        boolean fits = classification[0] == 0 || wanted == OutputTensor.PROBABILITIES;
        if (classification[0] < 0 || !fits) {
            throw RequestException.malformed("classification is a number of classes and belongs to 'probabilities'");
        }
        if (outputs.stream().anyMatch(other -> other.tensor() == wanted)) {
            throw RequestException.malformed("the output '" + wanted.tensorName() + "' is requested twice; available: "
                    + Arrays.stream(OutputTensor.values())
                            .map(OutputTensor::tensorName)
                            .toList());
        }
        outputs.add(new NamedOutput(
                wanted,
                (int) Math.min(classification[0], Integer.MAX_VALUE),
                binaryGiven[0] ? Optional.of(binary[0]) : Optional.empty()));
    }
}
