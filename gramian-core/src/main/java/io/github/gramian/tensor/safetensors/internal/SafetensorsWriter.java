package io.github.gramian.tensor.safetensors.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;

/**
 * Writes safetensors files in one canonical form, so that equal content gives equal bytes: metadata sorted by key, tensors
 * by falling element size (which aligns each of them) and then by name. The file appears complete or not at all.
 */
public final class SafetensorsWriter {

    private SafetensorsWriter() {}

    /** A tensor to be written, made only when its turn comes, so that a file may be larger than memory. */
    @FunctionalInterface
    public interface Lazy {
        /** Makes the tensor; called inside its own scope. */
        Tensor load() throws IOException;
    }

    /** A tensor's place in the file before its content exists. */
    public record Planned(TensorType type, List<Long> shape, Lazy content) {

        public Planned {
            shape = List.copyOf(shape);
        }

        /** A tensor that exists already. */
        public static Planned of(Tensor tensor) {
            List<Long> shape = new ArrayList<>();
            for (long dimension = 0; dimension < tensor.dim(); dimension++) {
                shape.add(tensor.size(dimension));
            }
            return new Planned(TensorType.of(tensor.scalar_type()), shape, () -> tensor);
        }

        private long bytes() {
            return type.bytesOf(shape.stream().mapToLong(Long::longValue).toArray());
        }
    }

    /** Writes tensors that exist already. */
    public static void write(Path target, Map<String, Tensor> tensors, Map<String, String> metadata)
            throws IOException {
        Map<String, Planned> planned = new TreeMap<>();
        tensors.forEach((name, tensor) -> planned.put(name, Planned.of(tensor)));
        writePlanned(target, planned, metadata);
    }

    /**
     * Writes tensors that exist already, and a checksum over the whole file into its metadata, which {@link
     * SafetensorsFile#requireIntact} compares: for files that we read back ourselves.
     */
    public static void writeSealed(Path target, Map<String, Tensor> tensors, Map<String, String> metadata)
            throws IOException {
        Map<String, Planned> planned = new TreeMap<>();
        tensors.forEach((name, tensor) -> planned.put(name, Planned.of(tensor)));
        Map<String, String> sealed = new TreeMap<>(metadata);
        sealed.put(SafetensorsFile.Seal.KEY, SafetensorsFile.Seal.OPEN);
        write(target, planned, sealed, true);
    }

    /** An array, row by row, for callers that do not know the engine's tensors. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not changed
    public record Floats(float[] values, List<Long> shape) {

        public Floats {
            shape = List.copyOf(shape);
            if (shape.stream().reduce(1L, Math::multiplyExact) != values.length) {
                throw new IllegalArgumentException("an array of shape " + shape + " has " + values.length + " values");
            }
        }

        private Tensor tensor() {
            Tensor tensor = TensorBytes.allocate(
                    TensorType.F32, shape.stream().mapToLong(Long::longValue).toArray());
            TensorBytes.memory(tensor)
                    .order(ByteOrder.nativeOrder())
                    .asFloatBuffer()
                    .put(values);
            return tensor;
        }
    }

    /** Writes arrays and a checksum over the whole file, as {@link #writeSealed} does. */
    public static void writeSealedFloats(Path target, Map<String, Floats> arrays, Map<String, String> metadata)
            throws IOException {
        Map<String, Planned> planned = new TreeMap<>();
        arrays.forEach((name, array) -> planned.put(name, new Planned(TensorType.F32, array.shape(), array::tensor)));
        Map<String, String> sealed = new TreeMap<>(metadata);
        sealed.put(SafetensorsFile.Seal.KEY, SafetensorsFile.Seal.OPEN);
        write(target, planned, sealed, true);
    }

    /** Writes tensors that are made one after the other. */
    public static void writePlanned(Path target, Map<String, Planned> tensors, Map<String, String> metadata)
            throws IOException {
        write(target, tensors, metadata, false);
    }

    private static void write(Path target, Map<String, Planned> tensors, Map<String, String> metadata, boolean sealed)
            throws IOException {
        if (tensors.containsKey(SafetensorsFile.Header.METADATA)) {
            throw new IllegalArgumentException("no tensor may be called __metadata__; the format reserves that name");
        }
        List<Map.Entry<String, Planned>> ordered = new ArrayList<>(tensors.entrySet());
        ordered.sort(Comparator.<Map.Entry<String, Planned>>comparingInt(
                        entry -> -entry.getValue().type().bytes())
                .thenComparing(Map.Entry::getKey));
        byte[] header = header(ordered, metadata);
        AtomicFile.write(target, channel -> {
            Checksum sum = new Checksum();
            WritableByteChannel summed = sum.along(channel);
            writeFully(
                    summed,
                    ByteBuffer.allocate(SafetensorsFile.Header.PREFIX)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(header.length)
                            .flip());
            writeFully(summed, ByteBuffer.wrap(header));
            for (Map.Entry<String, Planned> entry : ordered) {
                writeTensor(summed, entry.getKey(), entry.getValue());
            }
            if (sealed) {
                channel.position(SafetensorsFile.Header.PREFIX
                        + SafetensorsFile.Seal.place(header).orElseThrow());
                writeFully(channel, ByteBuffer.wrap(sum.hex().getBytes(StandardCharsets.US_ASCII)));
            }
        });
    }

    private static void writeTensor(WritableByteChannel channel, String name, Planned planned) throws IOException {
        try (Scope scope = Scope.open()) {
            Tensor tensor = planned.content().load();
            Planned actual = Planned.of(tensor);
            if (actual.type() != planned.type() || !actual.shape().equals(planned.shape())) {
                throw new IllegalStateException("tensor '" + name + "' was planned as " + planned.type()
                        + planned.shape() + " but came as " + actual.type() + actual.shape());
            }
            TensorBytes.write(tensor, channel);
        }
    }

    private static byte[] header(List<Map.Entry<String, Planned>> ordered, Map<String, String> metadata)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(bytes)) {
            json.writeStartObject();
            if (!metadata.isEmpty()) {
                json.writeObjectFieldStart(SafetensorsFile.Header.METADATA);
                for (Map.Entry<String, String> note : new TreeMap<>(metadata).entrySet()) {
                    json.writeStringField(note.getKey(), note.getValue());
                }
                json.writeEndObject();
            }
            long offset = 0;
            for (Map.Entry<String, Planned> entry : ordered) {
                offset = describe(json, entry.getKey(), entry.getValue(), offset);
            }
            json.writeEndObject();
        }
        // Spaces make the data start on a multiple of eight.
        while (bytes.size() % 8 != 0) {
            bytes.write(' ');
        }
        return bytes.toByteArray();
    }

    private static long describe(JsonGenerator json, String name, Planned planned, long begin) throws IOException {
        long end = Math.addExact(begin, planned.bytes());
        json.writeObjectFieldStart(name);
        json.writeStringField("dtype", planned.type().name());
        json.writeArrayFieldStart("shape");
        for (long dimension : planned.shape()) {
            json.writeNumber(dimension);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("data_offsets");
        json.writeNumber(begin);
        json.writeNumber(end);
        json.writeEndArray();
        json.writeEndObject();
        return end;
    }

    private static void writeFully(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
