package io.github.gramian.serve.protocol.internal;

import static java.util.Map.entry;

import io.github.gramian.eval.Prediction;
import io.github.gramian.json.internal.Json;
import io.github.gramian.model.Reading;
import io.github.gramian.model.internal.NeighbourSearch.Neighbour;
import io.github.gramian.serve.protocol.internal.InferRequest.Datatype;
import io.github.gramian.serve.protocol.internal.InferRequest.OutputRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * An answer to a request for inference.
 *
 * @param body JSON, and tensors after it where they were asked for as bytes
 * @param headerLength bytes of the JSON, if tensors follow
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record InferResponse(byte[] body, OptionalInt headerLength) {

    /**
     * A model as answers name it.
     *
     * @param sha256 of its file, since a file that is replaced keeps its name and version
     */
    public record ModelName(String name, String version, String sha256) {}

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
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("model_name", model.name());
        answer.put("model_version", model.version());
        answer.put(
                "parameters",
                notes.isEmpty()
                        ? Map.of("modelSha256", model.sha256())
                        : Json.members(entry("modelSha256", model.sha256()), entry("notes", notes)));
        request.id().ifPresent(id -> answer.put("id", id));
        List<byte[]> tail = new ArrayList<>();
        List<Map<String, Object>> outputs = new ArrayList<>();
        for (OutputRequest output : request.outputs()) {
            Values values = output.tensor() == OutputTensor.NEIGHBOURS
                    ? Values.rows(neighbours, one -> one.similarity() + ":" + one.file())
                    : values(output, request.coverage(), readings);
            outputs.add(tensor(output, values, readings.size(), tail));
        }
        answer.put("outputs", outputs);
        byte[] header = Json.bytes(answer);
        if (tail.isEmpty()) {
            return new InferResponse(header, OptionalInt.empty());
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(header);
        tail.forEach(out::writeBytes);
        return new InferResponse(out.toByteArray(), OptionalInt.of(header.length));
    }

    /**
     * The values of one output, row by row.
     *
     * @param columns values per image; a vector has no such number
     * @param data array of float, double or String
     */
    private record Values(Datatype datatype, OptionalInt columns, Object data) {

        static Values floats(List<float[]> rows) {
            int columns = rows.get(0).length;
            float[] all = new float[Math.multiplyExact(rows.size(), columns)];
            for (int i = 0; i < rows.size(); i++) {
                System.arraycopy(rows.get(i), 0, all, i * columns, columns);
            }
            return new Values(Datatype.FP32, OptionalInt.of(columns), all);
        }

        static Values candidates(List<Reading> readings, Function<Prediction, List<Prediction.Candidate>> chosen) {
            return rows(
                    readings.stream().map(Reading::prediction).map(chosen).toList(),
                    one -> one.probability() + ":" + one.index() + ":" + one.label());
        }

        /** Rows of strings; shorter ones are filled with empty strings, since a tensor has rows of one length. */
        static <T> Values rows(List<List<T>> rows, Function<T, String> text) {
            int columns = rows.stream().mapToInt(List::size).max().orElse(0);
            List<String> strings = new ArrayList<>();
            for (List<T> row : rows) {
                row.forEach(one -> strings.add(text.apply(one)));
                strings.addAll(Collections.nCopies(columns - row.size(), ""));
            }
            return new Values(Datatype.BYTES, OptionalInt.of(columns), strings.toArray(String[]::new));
        }

        byte[] bytes() {
            if (data instanceof float[] floats) {
                byte[] bytes = new byte[Math.multiplyExact(floats.length, Float.BYTES)];
                littleEndian(bytes).asFloatBuffer().put(floats);
                return bytes;
            }
            if (data instanceof double[] doubles) {
                byte[] bytes = new byte[Math.multiplyExact(doubles.length, Double.BYTES)];
                littleEndian(bytes).asDoubleBuffer().put(doubles);
                return bytes;
            }
            List<byte[]> elements = Stream.of((String[]) data)
                    .map(string -> string.getBytes(StandardCharsets.UTF_8))
                    .toList();
            byte[] bytes = new byte
                    [elements.stream()
                            .mapToInt(one -> Integer.BYTES + one.length)
                            .sum()];
            ByteBuffer buffer = littleEndian(bytes);
            elements.forEach(one -> buffer.putInt(one.length).put(one));
            return bytes;
        }

        private static ByteBuffer littleEndian(byte[] bytes) {
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    private static Values values(OutputRequest output, OptionalDouble coverage, List<Reading> readings) {
        return switch (output.tensor()) {
            case LABEL ->
                new Values(
                        Datatype.BYTES,
                        OptionalInt.empty(),
                        readings.stream()
                                .map(reading -> reading.prediction().label())
                                .toArray(String[]::new));
            case DESCRIPTOR ->
                Values.floats(readings.stream().map(Reading::descriptor).toList());
            case NOVELTY ->
                new Values(
                        Datatype.FP64,
                        OptionalInt.of(1),
                        readings.stream()
                                .mapToDouble(reading ->
                                        reading.prediction().novelty().orElseThrow())
                                .toArray());
            case NEIGHBOURS -> throw new IllegalStateException("neighbours are no part of a reading");
            case SET -> Values.candidates(readings, one -> one.set(coverage.orElseThrow()));
            case PROBABILITIES ->
                output.classification() == 0
                        ? Values.floats(readings.stream()
                                .map(reading -> reading.prediction().probabilities())
                                .toList())
                        : Values.candidates(readings, one -> one.top(output.classification()));
        };
    }

    /** One output: its values in the JSON, or after it. */
    private static Map<String, Object> tensor(OutputRequest request, Values values, int images, List<byte[]> tail) {
        Map<String, Object> tensor = new LinkedHashMap<>();
        tensor.put("name", request.tensor().tensorName());
        tensor.put("datatype", values.datatype().name());
        tensor.put(
                "shape",
                values.columns().isPresent() ? List.of(images, values.columns().getAsInt()) : List.of(images));
        if (request.binary()) {
            byte[] bytes = values.bytes();
            tail.add(bytes);
            tensor.put("parameters", Map.of("binary_data_size", bytes.length));
        } else {
            tensor.put("data", values.data());
        }
        return tensor;
    }
}
