package io.github.gramian.similar.index.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/**
 * What makes an index one: all of its vectors come from one model and one reduction. It is written once, complete, before the first
 * image is stored.
 *
 * @param model path of the model when the index was created, for queries with new photographs
 * @param modelSha256 of the model's file
 * @param reduction checksum of the reduction's file
 * @param dimensions of a vector
 */
public record Manifest(String model, String modelSha256, String reduction, int dimensions) implements Serializable {

    private static final long serialVersionUID = 1L;

    private static final String FORMAT = "gramian-index-1";

    /** Far more than a path and some sums. */
    private static final long MAX_BYTES = 1 << 16;

    private static final int SHA256_DIGITS = 64;

    public Manifest {
        if (modelSha256.length() != SHA256_DIGITS) {
            throw new IllegalArgumentException("modelSha256 must have 64 digits but is '" + modelSha256 + "'");
        }
        if (dimensions < 1) {
            throw new IllegalArgumentException("dimensions must be at least 1 but is " + dimensions);
        }
    }

    /** Replaces the file in one step. */
    void write(Path file) throws IOException {
        AtomicFile.writeText(file, text());
    }

    private String text() {
        return CheckedJson.text(Json.members(
                Map.entry("format", FORMAT),
                Map.entry("model", model),
                Map.entry("modelSha256", modelSha256),
                Map.entry("reduction", reduction),
                Map.entry("dimensions", dimensions)));
    }

    /**
     * Reads a file.
     *
     * @throws IndexException if the file is not a manifest, or damaged
     */
    static Manifest read(Path file) throws IOException {
        return CheckedJson.read(file, MAX_BYTES, "manifest of an index", Manifest::parse);
    }

    /** @throws IllegalArgumentException if the bytes are not exactly what {@link #write} stores */
    static Manifest parse(byte[] bytes) {
        return CheckedJson.parse(bytes, FORMAT, Manifest::of, Manifest::text);
    }

    /** The members that all manifests have. */
    static Manifest of(JsonNode tree) {
        return new Manifest(
                tree.path("model").asText(),
                tree.path("modelSha256").asText(),
                tree.path("reduction").asText(),
                tree.path("dimensions").asInt());
    }

    /** JSON files with a format, whose last member is the checksum of all others. */
    static final class CheckedJson {

        private static final String CHECKSUM = "checksum";

        private CheckedJson() {}

        /** Makes a value of JSON. */
        @FunctionalInterface
        interface Reader<T> {
            T read(JsonNode tree) throws IOException;
        }

        /** The content of a file with these members. */
        static String text(Map<String, Object> members) {
            String unsigned = Json.text(members);
            return unsigned.substring(0, unsigned.length() - 1) + ",\"" + CHECKSUM + "\":\"" + Checksum.of(unsigned)
                    + "\"}\n";
        }

        /**
         * Reads a file.
         *
         * @param kind of the file, for the message about one that is too large
         * @throws IndexException if the file is larger, or {@code parse} rejects it
         */
        static <T> T read(Path file, long maxBytes, String kind, Function<byte[], T> parse) throws IOException {
            if (Files.size(file) > maxBytes) {
                throw new IndexException(file + " is larger than any " + kind + "; is this the right directory?");
            }
            try {
                return parse.apply(Files.readAllBytes(file));
            } catch (IllegalArgumentException e) {
                throw new IndexException(file + " " + e.getMessage(), e);
            }
        }

        /**
         * Reads the content of a file.
         *
         * @param format name and version, such as gramian-index-1
         * @param text what a file with such a value contains
         * @throws IllegalArgumentException if the bytes are not exactly this text
         */
        static <T> T parse(byte[] bytes, String format, Reader<T> reader, Function<T, String> text) {
            T value;
            try {
                JsonNode tree = Json.parse(bytes);
                String found = tree.path("format").asText();
                String name = format.substring(0, format.lastIndexOf('-') + 1);
                if (!found.equals(format) && found.startsWith(name)) {
                    throw new IllegalArgumentException("has the format " + found
                            + ", which this version does not support; use the version of Gramian that wrote it");
                }
                value = reader.read(tree);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("is damaged: " + Json.reason(e) + "; build the index again", e);
            } catch (IOException e) {
                throw new IllegalArgumentException("is damaged; build the index again", e);
            }
            if (!text.apply(value).equals(new String(bytes, StandardCharsets.UTF_8))) {
                throw new IllegalArgumentException("is damaged: its checksum does not match; build the index again");
            }
            return value;
        }
    }
}
