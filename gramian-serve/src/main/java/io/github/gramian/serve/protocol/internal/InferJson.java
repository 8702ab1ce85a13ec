package io.github.gramian.serve.protocol.internal;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.github.gramian.model.internal.NeighbourSearch;
import io.github.gramian.serve.protocol.internal.InferRequest.InferLimits;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a request for inference as it stands there, before anything is compared. It comes from untrusted clients: lists
 * have limits while they are read, and a tensor becomes an array of primitive values instead of a tree, which would take twenty
 * times the size of the request. Members that this server does not know are skipped.
 */
@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
final class InferJson {

    private static final int MAX_DEPTH = 32;
    private static final int MAX_NUMBER = 64;
    private static final int MAX_NAME = 1024;
    private static final int MAX_INPUTS = 8;
    private static final int MAX_OUTPUTS = 16;
    private static final int MAX_DIMENSIONS = 8;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .maxNumberLength(MAX_NUMBER)
                            .maxNameLength(MAX_NAME)
                            .maxStringLength(
                                    Integer.MAX_VALUE) // no string is longer than the request, which has its limit
                            .build())
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.FAIL, Nulls.FAIL))
            .withCoercionConfig(
                    LogicalType.Textual,
                    strings -> strings.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                            .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
            .build();

    @Nullable
    String id;

    Parameters parameters = new Parameters();
    Inputs inputs = new Inputs();

    @Nullable
    Outputs outputs;

    /** Parameters of the request. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Parameters {

        @JsonProperty("binary_data_output")
        boolean binaryOutput;

        @Nullable
        Double coverage;

        /** In microseconds. */
        long timeout;

        long top = NeighbourSearch.Query.DEFAULT_TOP;

        @Nullable
        String filter;
    }

    /** An input tensor. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Input {

        String name = "";
        String datatype = "";
        Shape shape = new Shape();

        @Nullable
        Data data;

        InputParameters parameters = new InputParameters();
    }

    /** Parameters of an input. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class InputParameters {

        @JsonProperty("binary_data_size")
        @Nullable
        Long binarySize;
    }

    /** An output that is asked for. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Output {

        String name = "";
        OutputParameters parameters = new OutputParameters();
    }

    /** Parameters of an output. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class OutputParameters {

        long classification;

        /** Goes before that of the whole request. */
        @JsonProperty("binary_data")
        @Nullable
        Boolean binary;
    }

    /** A list that refuses its first element too many, before the rest of the request is read. */
    private abstract static class Limited<T> extends ArrayList<T> {

        private final int most;
        private final String refusal;

        Limited(int most, String refusal) {
            this.most = most;
            this.refusal = refusal;
        }

        @Override
        public boolean add(T element) {
            if (size() == most) {
                throw RequestException.malformed(refusal);
            }
            return super.add(element);
        }
    }

    /** At most a few, of which one is right. */
    static final class Inputs extends Limited<Input> {
        Inputs() {
            super(MAX_INPUTS, "a request has one input, called 'image', not more than " + MAX_INPUTS);
        }
    }

    /** More than the model gives. */
    static final class Outputs extends Limited<Output> {
        Outputs() {
            super(MAX_OUTPUTS, "more than " + MAX_OUTPUTS + " outputs are requested");
        }
    }

    /** Sides of a tensor. */
    static final class Shape extends Limited<Long> {
        Shape() {
            super(MAX_DIMENSIONS, "shape has more than " + MAX_DIMENSIONS + " dimensions");
        }
    }

    /** Data of a tensor, nested as its shape is or flat: numbers and strings row by row. */
    @JsonDeserialize(using = DataReader.class)
    static final class Data {

        /** It never has more than one value per two bytes of the request. */
        private float[] numbers = new float[1024];

        private int count;
        final List<String> strings = new ArrayList<>();

        /** Place of the first string among the elements. */
        int firstString;

        int count() {
            return count;
        }

        float number(int place) {
            return numbers[place];
        }

        private void add(float number) {
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, numbers.length + (numbers.length >> 1));
            }
            numbers[count++] = number;
        }
    }

    /** Reads data as a stream. */
    private static final class DataReader extends JsonDeserializer<Data> {

        @Override
        public Data deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            if (!parser.isExpectedStartArrayToken()) {
                throw RequestException.malformed("data must be an array");
            }
            InferLimits limits = (InferLimits) context.getAttribute(InferLimits.class);
            Data data = new Data();
            for (int depth = 1; depth > 0; ) {
                JsonToken token = parser.nextToken();
                switch (token == null ? JsonToken.NOT_AVAILABLE : token) {
                    case START_ARRAY -> depth++;
                    case END_ARRAY -> depth--;
                    case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> data.add(parser.getFloatValue());
                    case VALUE_STRING -> {
                        limits.checkCount(data.strings.size() + 1L);
                        data.firstString = data.strings.isEmpty() ? data.count : data.firstString;
                        data.strings.add(parser.getText());
                    }
                    case NOT_AVAILABLE -> throw RequestException.malformed("the JSON ends too early");
                    default -> throw RequestException.malformed("data must hold numbers or strings");
                }
            }
            return data;
        }
    }

    /** Reads the JSON of a request, which is the beginning of its body. */
    static InferJson read(byte[] body, int length, InferLimits limits) {
        try (JsonParser parser = MAPPER.createParser(body, 0, length)) {
            InferJson request = MAPPER.readerFor(InferJson.class)
                    .withAttribute(InferLimits.class, limits)
                    .readValue(parser);
            if (request == null) {
                throw RequestException.malformed("the request must be an object");
            }
            if (parser.nextToken() != null) {
                throw RequestException.malformed("there is something after the JSON object");
            }
            return request;
        } catch (IOException e) {
            throw refusal(e);
        }
    }

    /** Why JSON cannot be read, in a sentence of ours: Jackson's own advise to change the server, and repeat what was sent. */
    private static RequestException refusal(IOException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (root instanceof RequestException ours) {
            return ours;
        }
        if (root instanceof JsonEOFException) {
            return RequestException.malformed("the JSON ends too early");
        }
        if (root instanceof StreamConstraintsException) {
            return RequestException.malformed(
                    "the JSON is nested more than " + MAX_DEPTH + " levels deep, or has a number of more than "
                            + MAX_NUMBER + " characters or a name of more than " + MAX_NAME);
        }
        if (root instanceof InputCoercionException) {
            return RequestException.malformed(field(failure) + " is too large a number");
        }
        if (root instanceof MismatchedInputException kind) {
            return RequestException.malformed(expected(field(failure), kind.getTargetType()));
        }
        JsonLocation place = root instanceof JacksonException wrong ? wrong.getLocation() : null;
        return RequestException.malformed(
                place == null
                        ? "the JSON is not valid"
                        : "the JSON is not valid near line " + place.getLineNr() + ", column " + place.getColumnNr());
    }

    /** The innermost member in which a value does not fit; its name is one of the fields of these classes. */
    private static String field(IOException failure) {
        List<JsonMappingException.Reference> path =
                failure instanceof JsonMappingException mapping ? mapping.getPath() : List.of();
        return path.stream()
                .map(JsonMappingException.Reference::getFieldName)
                .filter(Objects::nonNull)
                .reduce("the request", (outer, inner) -> inner);
    }

    private static String expected(String field, @Nullable Class<?> type) {
        if (type == Input.class) {
            return "an input must be an object";
        }
        if (type == Output.class) {
            return "an output must be an object";
        }
        String kind = "an object";
        if (type == String.class) {
            kind = "a string";
        } else if (type == long.class || type == Long.class) {
            kind = "a whole number";
        } else if (type == Double.class) {
            kind = "a number";
        } else if (type == boolean.class || type == Boolean.class) {
            kind = "true or false";
        } else if (type == Data.class || (type != null && List.class.isAssignableFrom(type))) {
            kind = "an array";
        }
        return field + " must be " + kind;
    }
}
