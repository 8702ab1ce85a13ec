package io.github.gramian.onnx.graph.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.ProtobufMessage;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Attribute;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Dimension;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Initializer;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Node;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Port;
import io.github.gramian.onnx.graph.internal.OnnxGraph.Value;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes graphs as ONNX files, tensor by tensor, however large they are, with a checksum at the end ({@link Seal}). The
 * fields that are written:
 *
 * <pre>
 * Model       { 1: ir_version  2: producer_name  3: producer_version  7: Graph graph  8: { 2: version }  14: { 1: key  2: value } }
 * Graph       { 1: Node node  2: name  5: Tensor initializer  11: ValueInfo input  12: ValueInfo output }
 * Node        { 1: input  2: output  3: name  4: op_type  5: Attribute }     Attribute { 1: name  2: float  3: int  4: string  8: ints  20: type }
 * Tensor      { 1: dims  2: data_type  8: name  9: raw_data  13: { 1: key  2: value } external_data  14: data_location }
 * ValueInfo   { 1: name  2: { 1: { 1: elem_type  2: { 1: { 1: dim_value  2: dim_param } } } } }
 * </pre>
 */
public final class OnnxFile {

    /** The format's version that goes with {@link OnnxGraph#OPSET}. */
    private static final int IR_VERSION = 8;

    /** Where tensors begin in a file of data: runtimes map pages of memory. */
    private static final long ALIGNMENT = 4096;

    /** Smaller tensors are stored in the model file, where checkers and runtimes may need their values to infer shapes. */
    private static final long MIN_EXTERNAL = 1024;

    private static final int ATTRIBUTE_FLOAT = 1;
    private static final int ATTRIBUTE_INT = 2;
    private static final int ATTRIBUTE_STRING = 3;
    private static final int ATTRIBUTE_INTS = 7;
    private static final int EXTERNAL = 1;

    private OnnxFile() {}

    /**
     * The writer of a file and its metadata.
     *
     * @param version of the writer
     * @param metadata strings by name
     */
    public record About(String version, Map<String, String> metadata) {

        public About {
            metadata = Map.copyOf(metadata);
        }

        /** With another string. */
        public About with(String name, String value) {
            Map<String, String> more = new HashMap<>(metadata);
            more.put(name, value);
            return new About(version, more);
        }
    }

    /** The file with the tensors of a model file that was written with {@link #writeExternal}. */
    public static Path dataOf(Path file) {
        return file.resolveSibling(file.getFileName() + ".data");
    }

    /** Writes everything into one file. Readers refuse one of more than 2 GB, and so does this. */
    public static void write(Path file, OnnxGraph graph, About about) throws IOException {
        ProtobufMessage model = model(graph, about, Map.of(), "");
        if (model.size() > ProtobufMessage.MAX_BYTES - Seal.MAX_BYTES) {
            throw new IllegalArgumentException(
                    "the model has " + model.size() + " bytes, but an ONNX file holds at most "
                            + ProtobufMessage.MAX_BYTES + "; write the weights next to it with --external-data");
        }
        write(file, model, new Checksum(), false);
    }

    /** The content of a file without metadata and checksum, for a reader in the same process. */
    public static ProtobufMessage content(OnnxGraph graph) {
        return model(graph, new About("", Map.of()), Map.of(), "");
    }

    private static void write(Path file, ProtobufMessage model, Checksum sum, boolean withData) throws IOException {
        AtomicFile.write(file, channel -> {
            model.writeTo(sum.along(channel));
            Seal.entry(sum, withData).writeTo(channel);
        });
    }

    /** Writes the large tensors into {@link #dataOf} and the rest into the file, which names that by its name alone. */
    public static void writeExternal(Path file, OnnxGraph graph, About about) throws IOException {
        Map<Value, Long> offsets = offsets(graph.initializers());
        Path data = dataOf(file);
        ProtobufMessage model = model(graph, about, offsets, data.getFileName().toString());
        Checksum sum = new Checksum();
        AtomicFile.write(data, channel -> {
            WritableByteChannel summed = sum.along(channel);
            for (Initializer initializer : graph.initializers()) {
                Long offset = offsets.get(initializer.value());
                if (offset != null) {
                    pad(summed, offset - channel.position());
                    initializer.content().writeTo(summed);
                    requirePosition(channel, offset + initializer.bytes());
                }
            }
        });
        write(file, model, sum, true);
    }

    private static Map<Value, Long> offsets(List<Initializer> initializers) {
        Map<Value, Long> offsets = new HashMap<>();
        long end = 0;
        for (Initializer initializer : initializers) {
            if (initializer.bytes() >= MIN_EXTERNAL) {
                long offset = Math.addExact(end, ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
                offsets.put(initializer.value(), offset);
                end = Math.addExact(offset, initializer.bytes());
            }
        }
        return offsets;
    }

    private static void pad(WritableByteChannel channel, long count) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(Math.toIntExact(count));
        while (zeros.hasRemaining()) {
            channel.write(zeros);
        }
    }

    private static void requirePosition(FileChannel channel, long expected) throws IOException {
        if (channel.position() != expected) {
            throw new IOException("a tensor ends at byte " + channel.position() + " instead of " + expected);
        }
    }

    private static ProtobufMessage model(OnnxGraph graph, About about, Map<Value, Long> offsets, String dataName) {
        ProtobufMessage model = new ProtobufMessage()
                .number(1, IR_VERSION)
                .string(2, "gramian")
                .string(3, about.version())
                .message(7, graph(graph, offsets, dataName))
                .message(8, new ProtobufMessage().number(2, OnnxGraph.OPSET));
        about.metadata().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> model.message(14, pair(entry.getKey(), entry.getValue())));
        return model;
    }

    private static ProtobufMessage graph(OnnxGraph graph, Map<Value, Long> offsets, String dataName) {
        ProtobufMessage message = new ProtobufMessage();
        graph.nodes().forEach(node -> message.message(1, node(node)));
        message.string(2, graph.name());
        for (Initializer initializer : graph.initializers()) {
            message.message(5, tensor(initializer, offsets.get(initializer.value()), dataName));
        }
        graph.inputs().forEach(port -> message.message(11, port(port)));
        graph.outputs().forEach(port -> message.message(12, port(port)));
        return message;
    }

    private static ProtobufMessage node(Node node) {
        ProtobufMessage message = new ProtobufMessage();
        node.inputs().forEach(input -> message.string(1, input.name()));
        message.string(2, node.output().name()).string(3, node.output().name()).string(4, node.operator());
        node.attributes().forEach(attribute -> message.message(5, attribute(attribute)));
        return message;
    }

    private static ProtobufMessage attribute(Attribute attribute) {
        ProtobufMessage message = new ProtobufMessage().string(1, attribute.name());
        if (attribute instanceof Attribute.Whole one) {
            return message.number(3, one.value()).number(20, ATTRIBUTE_INT);
        }
        if (attribute instanceof Attribute.Real one) {
            return message.real(2, one.value()).number(20, ATTRIBUTE_FLOAT);
        }
        if (attribute instanceof Attribute.Text one) {
            return message.string(4, one.value()).number(20, ATTRIBUTE_STRING);
        }
        ((Attribute.Wholes) attribute).values().forEach(value -> message.number(8, value));
        return message.number(20, ATTRIBUTE_INTS);
    }

    private static ProtobufMessage tensor(Initializer initializer, @Nullable Long offset, String dataName) {
        ProtobufMessage message = new ProtobufMessage();
        initializer.shape().forEach(size -> message.number(1, size));
        message.number(2, initializer.type().code())
                .string(8, initializer.value().name());
        if (offset == null) {
            return message.bytes(9, initializer.bytes(), initializer.content());
        }
        return message.message(13, pair("location", dataName))
                .message(13, pair("offset", Long.toString(offset)))
                .message(13, pair("length", Long.toString(initializer.bytes())))
                .number(14, EXTERNAL);
    }

    private static ProtobufMessage port(Port port) {
        ProtobufMessage shape = new ProtobufMessage();
        for (Dimension dimension : port.shape()) {
            shape.message(
                    1,
                    dimension instanceof Dimension.Fixed fixed
                            ? new ProtobufMessage().number(1, fixed.size())
                            : new ProtobufMessage().string(2, ((Dimension.Named) dimension).name()));
        }
        ProtobufMessage tensor =
                new ProtobufMessage().number(1, port.type().code()).message(2, shape);
        return new ProtobufMessage().string(1, port.name()).message(2, new ProtobufMessage().message(1, tensor));
    }

    static ProtobufMessage pair(String key, String value) {
        return new ProtobufMessage().string(1, key).string(2, value);
    }

    /**
     * The last entry of an exported file's metadata: a CRC-32C of all bytes before it, preceded by those of the file of tensors if
     * there is one. ONNX itself has no checksums, so a flipped bit in a weight would go unnoticed.
     */
    public static final class Seal {

        /** Upper bound of the size of the entry. */
        static final long MAX_BYTES = 64;

        private static final String KEY = "gramian.crc32c";
        private static final String ALONE = "file:";
        private static final String WITH_DATA = "both:";

        private Seal() {}

        /** The entry of a file with this checksum. */
        static ProtobufMessage entry(Checksum sum, boolean withData) {
            return new ProtobufMessage().message(14, OnnxFile.pair(KEY, (withData ? WITH_DATA : ALONE) + sum.hex()));
        }

        private static byte[] bytes(Checksum sum, boolean withData) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            entry(sum, withData).writeTo(Channels.newChannel(bytes));
            return bytes.toByteArray();
        }

        /** Whether a file, or its file of tensors, is not as it was written. Files of other programs have no such entry. */
        public static boolean isBroken(Path file) throws IOException {
            byte[] alone = bytes(new Checksum(), false);
            byte[] withData = bytes(new Checksum(), true);
            try (FileChannel channel = FileChannel.open(file)) {
                long end = channel.size() - alone.length;
                if (end < 0) {
                    return false;
                }
                byte[] found = new byte[alone.length];
                ByteBuffer target = ByteBuffer.wrap(found);
                while (target.hasRemaining() && channel.read(target, end + target.position()) >= 0) {
                    // until all is read
                }
                Checksum sum = new Checksum();
                if (isLike(found, withData)) {
                    try (FileChannel data = FileChannel.open(OnnxFile.dataOf(file))) {
                        sum.add(data, 0, data.size());
                    }
                } else if (!isLike(found, alone)) {
                    return false;
                }
                String digits =
                        new String(found, found.length - Checksum.DIGITS, Checksum.DIGITS, StandardCharsets.US_ASCII);
                return !sum.add(channel, 0, end).hex().equals(digits);
            }
        }

        /** Equal but for the digits. */
        private static boolean isLike(byte[] found, byte[] entry) {
            int length = entry.length - Checksum.DIGITS;
            return Arrays.equals(found, 0, length, entry, 0, length);
        }
    }
}
