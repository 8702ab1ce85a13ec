package io.github.gramian.serve.protocol.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.NeighbourSearch.Neighbour;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * An answer to a request for inference.
 *
 * @param body JSON, and tensors after it where they were asked for as bytes
 * @param headerLength bytes of the JSON, if tensors follow
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record InferResponse(byte[] body, OptionalInt headerLength) {

    private static final JsonFactory JSON = new JsonFactory();

    /**
     * A model as answers name it.
     *
     * @param sha256 of its file, since a file that is replaced keeps its name and version
     */
    public record ModelName(String name, String version, String sha256) {}

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

    private record Doubles(List<Double> values) implements Values {

        @Override
        public byte[] bytes() {
            ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(values.size(), Double.BYTES))
                    .order(ByteOrder.LITTLE_ENDIAN);
            values.forEach(bytes::putDouble);
            return bytes.array();
        }

        @Override
        public void write(JsonGenerator json) throws IOException {
            for (double value : values) {
                json.writeNumber(value);
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

    /**
     * The answer for these readings, which are of the request's images in their order.
     *
     * @param neighbours of each image; empty if the request does not ask for them
     * @param notes what the answer cannot tell, and why
     */
    public static InferResponse of(
            ModelName model,
            InferRequest request,
            List<Reading> readings,
            List<List<Neighbour>> neighbours,
            List<String> notes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<byte[]> tail = new ArrayList<>();
        try (JsonGenerator json = JSON.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("model_name", model.name());
            json.writeStringField("model_version", model.version());
            json.writeObjectFieldStart("parameters");
            json.writeStringField("modelSha256", model.sha256());
            if (!notes.isEmpty()) {
                json.writeArrayFieldStart("notes");
                for (String note : notes) {
                    json.writeString(note);
                }
                json.writeEndArray();
            }
            json.writeEndObject();
            if (request.id().isPresent()) {
                json.writeStringField("id", request.id().get());
            }
            json.writeArrayFieldStart("outputs");
            for (OutputRequest output : request.outputs()) {
                Output values = output.tensor() == OutputTensor.NEIGHBOURS
                        ? Output.neighbours(neighbours)
                        : output(output, request.coverage(), readings);
                write(json, output, values, readings.size(), tail);
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

    /** The values of one output, and the number of values per image; a vector has no such number. */
    private record Output(Datatype datatype, OptionalInt columns, Values values) {

        static Output labels(List<Reading> readings) {
            List<String> labels = readings.stream()
                    .map(reading -> reading.prediction().label())
                    .toList();
            return new Output(Datatype.BYTES, OptionalInt.empty(), new Strings(labels));
        }

        static Output floats(List<float[]> rows) {
            return new Output(Datatype.FP32, OptionalInt.of(rows.get(0).length), new Floats(rows));
        }

        static Output novelty(List<Reading> readings) {
            List<Double> values = readings.stream()
                    .map(reading -> reading.prediction().novelty().orElseThrow())
                    .toList();
            return new Output(Datatype.FP64, OptionalInt.of(1), new Doubles(values));
        }

        static Output candidates(List<List<Prediction.Candidate>> rows) {
            return rows(rows, one -> one.probability() + ":" + one.index() + ":" + one.label());
        }

        static Output neighbours(List<List<Neighbour>> rows) {
            return rows(rows, one -> one.similarity() + ":" + one.file());
        }

        /** Rows of strings; shorter ones are filled with empty strings, since a tensor has rows of one length. */
        private static <T> Output rows(List<List<T>> rows, Function<T, String> text) {
            int columns = rows.stream().mapToInt(List::size).max().orElse(0);
            List<String> strings = new ArrayList<>();
            for (List<T> row : rows) {
                row.forEach(one -> strings.add(text.apply(one)));
                strings.addAll(Collections.nCopies(columns - row.size(), ""));
            }
            return new Output(Datatype.BYTES, OptionalInt.of(columns), new Strings(strings));
        }
    }

    private static void write(JsonGenerator json, OutputRequest request, Output output, int images, List<byte[]> tail)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("name", request.tensor().tensorName());
        json.writeStringField("datatype", output.datatype().name());
        json.writeArrayFieldStart("shape");
        json.writeNumber(images);
        if (output.columns().isPresent()) {
            json.writeNumber(output.columns().getAsInt());
        }
        json.writeEndArray();
        if (request.binary()) {
            byte[] bytes = output.values().bytes();
            tail.add(bytes);
            json.writeObjectFieldStart("parameters");
            json.writeNumberField("binary_data_size", bytes.length);
            json.writeEndObject();
        } else {
            json.writeArrayFieldStart("data");
            output.values().write(json);
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static Output output(OutputRequest output, OptionalDouble coverage, List<Reading> readings) {
        return switch (output.tensor()) {
            case LABEL -> Output.labels(readings);
            case DESCRIPTOR ->
                Output.floats(readings.stream().map(Reading::descriptor).toList());
            case NOVELTY -> Output.novelty(readings);
            case NEIGHBOURS -> throw new IllegalStateException("neighbours are no part of a reading");
            case SET -> Output.candidates(candidates(readings, one -> one.set(coverage.orElseThrow())));
            case PROBABILITIES ->
                output.classification() == 0
                        ? Output.floats(readings.stream()
                                .map(reading -> reading.prediction().probabilities())
                                .toList())
                        : Output.candidates(candidates(readings, one -> one.top(output.classification())));
        };
    }

    private static List<List<Prediction.Candidate>> candidates(
            List<Reading> readings, Function<Prediction, List<Prediction.Candidate>> chosen) {
        return readings.stream().map(Reading::prediction).map(chosen).toList();
    }
}
