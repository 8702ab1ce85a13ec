package io.github.gramian.similar.index.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;

/** JSON files with a format, whose last member is the checksum of all others. */
final class CheckedJson {

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
