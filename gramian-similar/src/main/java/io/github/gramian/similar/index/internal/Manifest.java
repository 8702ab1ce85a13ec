package io.github.gramian.similar.index.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.io.Serializable;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What makes an index one: all of its vectors come from one model and one reduction. The file of an index, {@code manifest.json},
 * is written once, complete, before the first image is stored. A directory of independent indexes, which {@code gramian-spark
 * index} writes, has the file {@code parts.json} instead. It is written last and replaced in one step: a part that it does not
 * list does not exist.
 *
 * @param model path of the model when the index was created, for queries with new photographs
 * @param modelSha256 of the model's file
 * @param reduction checksum of the reduction's file
 * @param dimensions of a vector
 * @param root directory of the photographs of all parts; empty if they lie in shards, or if there are no parts
 * @param parts in the order of their names; empty for a single index
 */
public record Manifest(
        String model, String modelSha256, String reduction, int dimensions, String root, List<Part> parts)
        implements Serializable {

    /** The file of a directory with parts. */
    public static final String PARTS = "parts.json";

    private static final long serialVersionUID = 1L;

    private static final String FORMAT = "gramian-index-1";
    private static final String FORMAT_OF_PARTS = "gramian-index-parts-1";
    private static final String CHECKSUM = "checksum";

    /** Far more than a path and some sums. */
    private static final long MAX_BYTES = 1 << 16;

    private static final long MAX_BYTES_OF_PARTS = 64L << 20;
    private static final int MAX_PARTS = 100_000;
    private static final int SHA256_DIGITS = 64;

    /** No path can be hidden in such a name. */
    private static final Pattern NAME = Pattern.compile("part-[0-9a-f]{8}-[0-9]{5}-[0-9a-f]{8}");

    /**
     * One index of a directory.
     *
     * @param name of its directory
     * @param table that its vectors come from
     * @param tableIdentity checksum of the table's files
     * @param photographs number of photographs in it
     * @param quarantined number of rows of the table that are not in it, since they have no usable descriptor
     * @param bytes of its files
     * @param checksum of its files, as {@link PartFiles} computes it
     */
    public record Part(
            String name,
            String table,
            String tableIdentity,
            long photographs,
            long quarantined,
            long bytes,
            String checksum)
            implements Serializable {

        private static final long serialVersionUID = 1L;

        public Part {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException("'" + name + "' is not the name of a part");
            }
            if (photographs < 1 || photographs > Integer.MAX_VALUE || quarantined < 0 || bytes < 0) {
                throw new IllegalArgumentException("the part " + name + " has " + photographs + " photographs, "
                        + quarantined + " rows in quarantine and " + bytes + " bytes");
            }
        }
    }

    public Manifest {
        if (modelSha256.length() != SHA256_DIGITS) {
            throw new IllegalArgumentException("modelSha256 must have 64 digits but is '" + modelSha256 + "'");
        }
        if (dimensions < 1) {
            throw new IllegalArgumentException("dimensions must be at least 1 but is " + dimensions);
        }
        parts = List.copyOf(parts);
        if (parts.size() > MAX_PARTS) {
            throw new IllegalArgumentException(
                    "the number of parts must lie in 1.." + MAX_PARTS + " but is " + parts.size());
        }
        Set<String> names = new HashSet<>();
        for (Part part : parts) {
            if (!names.add(part.name())) {
                throw new IllegalArgumentException("the part " + part.name() + " is listed twice");
            }
        }
    }

    /** Of a single index. */
    public Manifest(String model, String modelSha256, String reduction, int dimensions) {
        this(model, modelSha256, reduction, dimensions, "", List.of());
    }

    /** The same model and reduction, with these parts. */
    public Manifest with(String directory, List<Part> listed) {
        return new Manifest(model, modelSha256, reduction, dimensions, directory, listed);
    }

    /** What the parts share, which each of them has as its own manifest. */
    public Manifest common() {
        return with("", List.of());
    }

    /** Number of photographs in all parts. */
    public long photographs() {
        return parts.stream().mapToLong(Part::photographs).sum();
    }

    /** Whether a directory has parts. */
    public static boolean hasParts(Path folder) {
        return Files.exists(folder.resolve(PARTS));
    }

    /** Replaces the file in one step. */
    void write(Path file) throws IOException {
        AtomicFile.writeText(file, text());
    }

    /** The content of the file; its last member is the checksum of all others. */
    public String text() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("format", parts.isEmpty() ? FORMAT : FORMAT_OF_PARTS);
        members.put("model", model);
        members.put("modelSha256", modelSha256);
        members.put("reduction", reduction);
        members.put("dimensions", dimensions);
        if (!parts.isEmpty()) {
            members.put("root", root);
            members.put("photographs", photographs());
            members.put("parts", parts);
        }
        String unsigned = Json.text(members);
        return unsigned.substring(0, unsigned.length() - 1) + ",\"" + CHECKSUM + "\":\"" + Checksum.of(unsigned)
                + "\"}\n";
    }

    /**
     * Reads the file of a single index.
     *
     * @throws IndexException if the file is not a manifest, or damaged
     */
    static Manifest read(Path file) throws IOException {
        return read(file, MAX_BYTES, "manifest of an index", FORMAT);
    }

    /**
     * Reads the file of a directory with parts.
     *
     * @throws IndexException if it is not such a file, or damaged
     */
    static Manifest readParts(Path folder) throws IOException {
        return read(folder.resolve(PARTS), MAX_BYTES_OF_PARTS, "manifest of parts", FORMAT_OF_PARTS);
    }

    private static Manifest read(Path file, long maxBytes, String kind, String format) throws IOException {
        if (Files.size(file) > maxBytes) {
            throw new IndexException(file + " is larger than any " + kind + "; is this the right directory?");
        }
        try {
            return parse(Files.readAllBytes(file), format);
        } catch (IllegalArgumentException e) {
            throw new IndexException(file + " " + e.getMessage(), e);
        }
    }

    /**
     * Reads the content of the file of a single index.
     *
     * @throws IllegalArgumentException if the bytes are not exactly its {@link #text}
     */
    static Manifest parse(byte[] bytes) {
        return parse(bytes, FORMAT);
    }

    /**
     * Reads the content of the file of a directory with parts.
     *
     * @throws IllegalArgumentException if the bytes are not exactly its {@link #text}
     */
    public static Manifest parseParts(byte[] bytes) {
        return parse(bytes, FORMAT_OF_PARTS);
    }

    private static Manifest parse(byte[] bytes, String format) {
        Manifest manifest;
        try {
            JsonNode tree = Json.parse(bytes);
            String found = tree.path("format").asText();
            String name = format.substring(0, format.lastIndexOf('-') + 1);
            if (!found.equals(format) && found.startsWith(name)) {
                throw new IllegalArgumentException("has the format " + found
                        + ", which this version does not support; use the version of Gramian that wrote it");
            }
            List<Part> parts = new ArrayList<>();
            for (JsonNode part : tree.path("parts")) {
                parts.add(Json.value(part, Part.class));
            }
            manifest = new Manifest(
                    tree.path("model").asText(),
                    tree.path("modelSha256").asText(),
                    tree.path("reduction").asText(),
                    tree.path("dimensions").asInt(),
                    tree.path("root").asText(),
                    parts);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("is damaged: " + Json.reason(e) + "; build the index again", e);
        } catch (IOException e) {
            throw new IllegalArgumentException("is damaged; build the index again", e);
        }
        if (manifest.parts.isEmpty() != format.equals(FORMAT)
                || !manifest.text().equals(new String(bytes, StandardCharsets.UTF_8))) {
            throw new IllegalArgumentException("is damaged: its checksum does not match; build the index again");
        }
        return manifest;
    }

    /**
     * The files of a part, with a checksum of all their names, lengths and bytes.
     *
     * @param names relative to the part's directory, with slashes, sorted
     * @param bytes of all files
     * @param checksum CRC-32C of one line per file: name, length, CRC-32C
     */
    public record PartFiles(List<String> names, long bytes, String checksum) {

        /** Lucene's lock, which belongs to the process that builds. */
        private static final String LOCK = "write.lock";

        /** Reads every byte of an index. */
        public static PartFiles of(Path part) throws IOException {
            List<String> names;
            try (Stream<Path> files = Files.walk(part)) {
                names = files.filter(Files::isRegularFile)
                        .filter(file -> !file.endsWith(LOCK))
                        .map(file -> part.relativize(file).toString().replace('\\', '/'))
                        .sorted()
                        .toList();
            }
            long bytes = 0;
            StringBuilder lines = new StringBuilder();
            for (String name : names) {
                try (FileChannel file = FileChannel.open(part.resolve(name))) {
                    long size = file.size();
                    String sum = new Checksum().add(file, 0, size).hex();
                    lines.append(name)
                            .append(' ')
                            .append(size)
                            .append(' ')
                            .append(sum)
                            .append('\n');
                    bytes += size;
                }
            }
            return new PartFiles(names, bytes, Checksum.of(lines.toString()));
        }
    }
}
