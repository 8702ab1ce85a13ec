package io.github.gramian.tensor.safetensors.internal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.FilePart;
import io.github.gramian.json.internal.Json;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import io.github.gramian.tensor.safetensors.internal.SafetensorsFile.TensorEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * An open safetensors file. Opening reads and checks the header only; {@link #tensor} copies the bytes of one tensor, so a
 * tensor belongs to the caller's scope and outlives the file. Files of any size; safe for several threads.
 */
public final class SafetensorsFile implements AutoCloseable {

    private final Path path;
    private final FileChannel channel;
    private final Header header;
    private final long dataStart;

    private SafetensorsFile(Path path, FileChannel channel, Header header, long dataStart) {
        this.path = path;
        this.channel = channel;
        this.header = header;
        this.dataStart = dataStart;
    }

    /**
     * Opens a file and checks its whole header.
     *
     * @throws SafetensorsException if the file is not exactly what the format demands
     */
    public static SafetensorsFile open(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            long size = channel.size();
            long headerBytes = headerLength(channel, size);
            ByteBuffer text = channel.map(FileChannel.MapMode.READ_ONLY, Header.PREFIX, headerBytes);
            long dataStart = Header.PREFIX + headerBytes;
            return new SafetensorsFile(path, channel, Header.parse(text, size - dataStart), dataStart);
        } catch (SafetensorsException e) {
            channel.close();
            throw new SafetensorsException(path + ": " + e.getMessage(), e);
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    private static long headerLength(FileChannel channel, long size) throws IOException {
        if (size < Header.PREFIX + 2) {
            throw new SafetensorsException("only " + size + " bytes long; the file is empty or cut off");
        }
        ByteBuffer prefix =
                channel.map(FileChannel.MapMode.READ_ONLY, 0, Header.PREFIX).order(ByteOrder.LITTLE_ENDIAN);
        long length = prefix.getLong();
        if (length < 2 || length > Header.MAX_HEADER_BYTES || length > size - Header.PREFIX) {
            throw new SafetensorsException("claims a header of " + Long.toUnsignedString(length)
                    + " bytes in a file of " + size + "; this is not a safetensors file, or it is cut off");
        }
        return length;
    }

    /** The tensors in the order of their bytes. */
    public Collection<TensorEntry> entries() {
        return Collections.unmodifiableCollection(header.entries().values());
    }

    public boolean contains(String name) {
        return header.entries().containsKey(name);
    }

    /** The metadata, sorted by key. */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(header.metadata());
    }

    /** The header's entry of one tensor. */
    public TensorEntry entry(String name) throws SafetensorsException {
        TensorEntry entry = header.entries().get(name);
        if (entry == null) {
            throw new SafetensorsException(path + " has no tensor '" + name + "'; it has "
                    + header.entries().size() + " others");
        }
        return entry;
    }

    /** The checksum that the header claims; empty for a file without one. */
    public String seal() {
        return header.metadata().getOrDefault(Seal.KEY, "");
    }

    /** Reads every byte and compares with the checksum; false for a file without one. */
    public boolean isIntact() throws IOException {
        return Seal.holds(channel, Header.PREFIX, Math.toIntExact(dataStart - Header.PREFIX));
    }

    /**
     * Reads every byte and compares with the checksum.
     *
     * @throws SafetensorsException if the file is damaged
     */
    public void requireIntact() throws IOException {
        if (!isIntact()) {
            throw new SafetensorsException(path + " is damaged: its checksum does not match");
        }
    }

    /**
     * The bytes of one tensor, mapped and not copied: they outlive this object and take no heap. At most 2 GB. Until the garbage
     * collector finds the buffer, its pages count as memory of the process.
     */
    public MappedByteBuffer map(String name) throws IOException {
        TensorEntry entry = entry(name);
        return channel.map(FileChannel.MapMode.READ_ONLY, dataStart + entry.begin(), arrayLength(entry));
    }

    /** A copy of the bytes of one tensor on the heap. At most 2 GB. */
    public ByteBuffer bytes(String name) throws IOException {
        TensorEntry entry = entry(name);
        ByteBuffer bytes = ByteBuffer.allocate(arrayLength(entry));
        FilePart.fill(channel, dataStart + entry.begin(), bytes);
        return bytes.flip();
    }

    /** Hands on the bytes of one tensor piece by piece. */
    public void copyTo(WritableByteChannel target, TensorEntry entry) throws IOException {
        long from = dataStart + entry.begin();
        FilePart.copy(channel, from, from + entry.type().bytesOf(entry.dimensions()), target);
    }

    private int arrayLength(TensorEntry entry) throws SafetensorsException {
        long length = entry.type().bytesOf(entry.dimensions());
        if (length > Integer.MAX_VALUE) {
            throw new SafetensorsException(
                    path + ": '" + entry.name() + "' has " + length + " bytes; read it as a tensor instead");
        }
        return (int) length;
    }

    /** Reads one tensor: a dense copy on the CPU in the type that is stored. */
    public Tensor tensor(String name) throws IOException {
        TensorEntry entry = entry(name);
        return TensorBytes.read(channel, dataStart + entry.begin(), entry.type(), entry.dimensions());
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /**
     * One tensor of a file, not yet read.
     *
     * @param begin first byte, counted from the start of the data section
     * @param end one past the last byte
     */
    public record TensorEntry(String name, TensorType type, List<Long> shape, long begin, long end) {

        public TensorEntry {
            shape = List.copyOf(shape);
            if (begin < 0 || end < begin) {
                throw new IllegalArgumentException("tensor '" + name + "' lies at " + begin + ".." + end);
            }
        }

        public long elements() {
            return (end - begin) / type.bytes();
        }

        /** Its shape as LibTorch takes it. */
        public long[] dimensions() {
            return shape.stream().mapToLong(Long::longValue).toArray();
        }
    }

    /**
     * The checksum of a safetensors file in its own metadata: CRC-32C over every byte of the file, with zeros in place of its
     * eight digits. The digits are written last, so that a file is sealed in the one pass that writes it.
     */
    static final class Seal {

        /** The metadata's key. */
        static final String KEY = "crc32c";

        /** The placeholder until the checksum is known. */
        static final String OPEN = "0".repeat(Checksum.DIGITS);

        // A quote inside a name or a value is escaped, so that nothing but the key itself looks like this.
        private static final byte[] MARK = ("\"" + KEY + "\":\"").getBytes(StandardCharsets.UTF_8);

        private Seal() {}

        /** Where in the header the digits begin. */
        static OptionalInt place(byte[] header) {
            for (int at = 0; at + MARK.length + Checksum.DIGITS <= header.length; at++) {
                if (Arrays.equals(header, at, at + MARK.length, MARK, 0, MARK.length)) {
                    return OptionalInt.of(at + MARK.length);
                }
            }
            return OptionalInt.empty();
        }

        /** Whether a file matches its checksum; false for one without. */
        static boolean holds(FileChannel file, int prefix, int headerBytes) throws IOException {
            byte[] header = new byte[headerBytes];
            file.map(FileChannel.MapMode.READ_ONLY, prefix, headerBytes).get(header);
            OptionalInt place = place(header);
            if (place.isEmpty()) {
                return false;
            }
            int from = place.getAsInt();
            String digits = new String(header, from, Checksum.DIGITS, StandardCharsets.US_ASCII);
            Arrays.fill(header, from, from + Checksum.DIGITS, (byte) '0');
            Checksum sum = new Checksum().add(file, 0, prefix);
            sum.write(ByteBuffer.wrap(header));
            return sum.add(file, (long) prefix + headerBytes, file.size()).hex().equals(digits);
        }
    }

    /**
     * The content of a safetensors header, checked: known types, shapes whose product fits their bytes, and tensors that cover the
     * data section exactly, without gap or overlap. Nothing is allocated before it is checked.
     */
    record Header(Map<String, TensorEntry> entries, Map<String, String> metadata) {

        /** Bytes before the header that store its length. */
        static final int PREFIX = 8;

        /** Far above any real header (a network of 10,000 tensors needs 1 MB), and what other readers allow too. */
        static final long MAX_HEADER_BYTES = 100_000_000;

        /** Far above any real file, which has hundreds or thousands. */
        private static final int MAX_TENSORS = 1 << 16;

        private static final int MAX_DIMENSIONS = 16;
        private static final int MAX_NAME = 4096;

        /** The name that the format reserves for metadata. */
        static final String METADATA = "__metadata__";

        private static final JsonFactory JSON = JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(4)
                        .maxNumberLength(20)
                        .maxNameLength(MAX_NAME)
                        .maxStringLength(1 << 24)
                        .build())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .build();

        static Header parse(ByteBuffer utf8, long dataBytes) throws IOException {
            List<TensorEntry> entries = new ArrayList<>();
            Map<String, String> metadata = new TreeMap<>();
            try (JsonParser json = JSON.createParser(decode(utf8))) {
                expect(json.nextToken(), JsonToken.START_OBJECT, "the header");
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    expect(json.nextToken(), JsonToken.START_OBJECT, "'" + name + "'");
                    if (name.equals(METADATA)) {
                        readMetadata(json, metadata);
                    } else {
                        if (entries.size() == MAX_TENSORS) {
                            throw new SafetensorsException(
                                    "the header has more than " + MAX_TENSORS + " tensors, more than any model");
                        }
                        entries.add(readEntry(json, name));
                    }
                }
                if (json.nextToken() != null) {
                    throw new SafetensorsException(
                            "there is data after the header's closing brace; the file is damaged");
                }
            } catch (JsonProcessingException e) {
                throw new SafetensorsException(
                        "the header is not the JSON it must be (" + Json.reason(e)
                                + "); the file is damaged or not a safetensors file",
                        e);
            }
            return new Header(inFileOrder(entries, dataBytes), metadata);
        }

        private static String decode(ByteBuffer utf8) throws SafetensorsException {
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
            } catch (CharacterCodingException e) {
                throw new SafetensorsException("the header is not UTF-8 text; the file is not a safetensors file", e);
            }
        }

        private static void readMetadata(JsonParser json, Map<String, String> metadata) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                expect(json.nextToken(), JsonToken.VALUE_STRING, "metadata '" + key + "'");
                metadata.put(key, json.getText());
            }
        }

        private static TensorEntry readEntry(JsonParser json, String name) throws IOException {
            TensorType type = null;
            List<Long> shape = null;
            List<Long> place = null;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                switch (field) {
                    case "dtype" -> {
                        expect(value, JsonToken.VALUE_STRING, "dtype of '" + name + "'");
                        type = type(json.getText(), name);
                    }
                    case "shape" -> shape = numbers(json, value, MAX_DIMENSIONS, "shape of '" + name + "'");
                    case "data_offsets" -> place = numbers(json, value, 2, "data_offsets of '" + name + "'");
                    default ->
                        throw new SafetensorsException("tensor '" + name + "' has an unknown field '" + field + "'");
                }
            }
            if (type == null || shape == null || place == null || place.size() != 2) {
                throw new SafetensorsException("tensor '" + name + "' lacks dtype, shape or data_offsets");
            }
            return checked(name, type, shape, place.get(0), place.get(1));
        }

        private static TensorType type(String code, String name) throws SafetensorsException {
            return TensorType.named(code)
                    .orElseThrow(() -> new SafetensorsException("tensor '" + name + "' has type " + code
                            + ", which is not read here; convert it to F32, F16 or BF16 first"));
        }

        private static TensorEntry checked(String name, TensorType type, List<Long> shape, long begin, long end)
                throws SafetensorsException {
            long bytes;
            try {
                bytes = type.bytesOf(shape.stream().mapToLong(Long::longValue).toArray());
            } catch (ArithmeticException e) {
                throw new SafetensorsException("the shape of tensor '" + name + "' is impossible: " + shape, e);
            }
            if (end < begin || end - begin != bytes) {
                throw new SafetensorsException("tensor '" + name + "' of shape " + shape + " and type " + type
                        + " needs " + bytes + " bytes but its offsets are " + begin + ".." + end);
            }
            return new TensorEntry(name, type, shape, begin, end);
        }

        /** Ordered by place; every byte of the data belongs to exactly one tensor. */
        private static Map<String, TensorEntry> inFileOrder(List<TensorEntry> entries, long dataBytes)
                throws SafetensorsException {
            // An empty tensor may share its offset with the next one; it must come first.
            entries.sort(Comparator.comparingLong(TensorEntry::begin).thenComparingLong(TensorEntry::end));
            Map<String, TensorEntry> ordered = new LinkedHashMap<>();
            long covered = 0;
            for (TensorEntry entry : entries) {
                if (entry.begin() != covered) {
                    throw new SafetensorsException("tensor '" + entry.name() + "' begins at " + entry.begin()
                            + " instead of " + covered + ": tensors overlap or leave a gap; the file is damaged");
                }
                covered = entry.end();
                ordered.put(entry.name(), entry);
            }
            if (covered != dataBytes) {
                throw new SafetensorsException("the header describes " + covered + " bytes of data but the file has "
                        + dataBytes + "; it is incomplete or damaged: download it again");
            }
            return ordered;
        }

        private static List<Long> numbers(JsonParser json, JsonToken first, int most, String what) throws IOException {
            expect(first, JsonToken.START_ARRAY, what);
            List<Long> numbers = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                expect(json.currentToken(), JsonToken.VALUE_NUMBER_INT, what);
                long number = json.getLongValue();
                if (number < 0 || numbers.size() == most) {
                    throw new SafetensorsException(what + " must have at most " + most + " values, none negative");
                }
                numbers.add(number);
            }
            return numbers;
        }

        private static void expect(@Nullable JsonToken found, JsonToken due, String what) throws SafetensorsException {
            if (found != due) {
                throw new SafetensorsException(
                        what + " must be " + words(due) + " but is " + words(found) + "; the file is damaged");
            }
        }

        private static String words(@Nullable JsonToken token) {
            if (token == null) {
                return "missing";
            }
            return switch (token) {
                case START_OBJECT -> "an object";
                case START_ARRAY -> "a list";
                case VALUE_STRING -> "a string";
                case VALUE_NUMBER_INT -> "a whole number";
                case VALUE_NUMBER_FLOAT -> "a fraction";
                default -> "something else";
            };
        }
    }
}
