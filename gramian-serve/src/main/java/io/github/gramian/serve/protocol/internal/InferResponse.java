package io.github.gramian.serve.protocol.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Reading;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * An answer to a request for inference.
 *
 * @param body JSON, and tensors after it where they were asked for as bytes
 * @param headerLength bytes of the JSON, if tensors follow
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record InferResponse(byte[] body, OptionalInt headerLength) {

    private static final JsonFactory JSON = new JsonFactory();

    /** One tensor of an answer: floats or strings, row by row. */
    private sealed interface Values {

        byte[] bytes();

        void write(JsonGenerator json) throws IOException;
    }

    private record Floats(List<float[]> rows) implements Values {

        @Override
        public byte[] bytes() {
            int count = rows.stream().mapToInt(row -> row.length).reduce(0, Math::addExact);
            ByteBuffer bytes =
                    ByteBuffer.allocate(Math.multiplyExact(count, Float.BYTES)).order(ByteOrder.LITTLE_ENDIAN);
            rows.forEach(row -> {
                for (float value : row) {
                    bytes.putFloat(value);
                }
            });
            return bytes.array();
        }

        @Override
        public void write(JsonGenerator json) throws IOException {
            for (float[] row : rows) {
                for (float value : row) {
                    json.writeNumber(value);
                }
            }
        }
    }

    private record Strings(List<String> strings) implements Values {

        @Override
        public byte[] bytes() {
            List<byte[]> elements = strings.stream()
                    .map(string -> string.getBytes(StandardCharsets.UTF_8))
                    .toList();
            int size = elements.stream()
                    .mapToInt(one -> Integer.BYTES + one.length)
                    .sum();
            ByteBuffer bytes = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
            elements.forEach(one -> bytes.putInt(one.length).put(one));
            return bytes.array();
        }

        @Override
        public void write(JsonGenerator json) throws IOException {
            for (String string : strings) {
                json.writeString(string);
            }
        }
    }

    /** The answer for these readings, which are of the request's images in their order. */
    public static InferResponse of(String model, String version, InferRequest request, List<Reading> readings) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<byte[]> tail = new ArrayList<>();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("model_name", model);
            json.writeStringField("model_version", version);
            if (request.id().isPresent()) {
                json.writeStringField("id", request.id().get());
            }
            json.writeArrayFieldStart("outputs");
            for (OutputRequest output : request.outputs()) {
                write(json, output, readings, tail);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int header = out.size();
        tail.forEach(out::writeBytes);
        return new InferResponse(out.toByteArray(), tail.isEmpty() ? OptionalInt.empty() : OptionalInt.of(header));
    }

    private static void write(JsonGenerator json, OutputRequest output, List<Reading> readings, List<byte[]> tail)
            throws IOException {
        Prediction first = readings.get(0).prediction();
        int classes = Math.min(output.classification(), first.classes().size());
        Values values = values(output, classes, readings);
        json.writeStartObject();
        json.writeStringField("name", output.tensor().tensorName());
        json.writeStringField(
                "datatype", (classes > 0 ? Datatype.BYTES : output.tensor().datatype()).name());
        json.writeArrayFieldStart("shape");
        json.writeNumber(readings.size());
        if (output.tensor() == OutputTensor.DESCRIPTOR) {
            json.writeNumber(readings.get(0).descriptor().length);
        } else if (output.tensor() == OutputTensor.PROBABILITIES) {
            json.writeNumber(classes > 0 ? classes : first.classes().size());
        }
        json.writeEndArray();
        if (output.binary()) {
            byte[] bytes = values.bytes();
            tail.add(bytes);
            json.writeObjectFieldStart("parameters");
            json.writeNumberField("binary_data_size", bytes.length);
            json.writeEndObject();
        } else {
            json.writeArrayFieldStart("data");
            values.write(json);
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static Values values(OutputRequest output, int classes, List<Reading> readings) {
        return switch (output.tensor()) {
            case LABEL ->
                new Strings(readings.stream()
                        .map(reading -> reading.prediction().label())
                        .toList());
            case DESCRIPTOR ->
                new Floats(readings.stream().map(Reading::descriptor).toList());
            case PROBABILITIES ->
                classes == 0
                        ? new Floats(readings.stream()
                                .map(reading -> reading.prediction().probabilities())
                                .toList())
                        : new Strings(readings.stream()
                                .flatMap(reading -> reading.prediction().top(classes).stream())
                                .map(one -> one.probability() + ":" + one.index() + ":" + one.label())
                                .toList());
        };
    }
}
