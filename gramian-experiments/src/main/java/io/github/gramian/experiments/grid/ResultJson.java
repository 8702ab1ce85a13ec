package io.github.gramian.experiments.grid;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The files of a folder of results: JSON on one line, bounded before it is read. */
final class ResultJson {

    private static final long MAX_BYTES = 1L << 26;

    private ResultJson() {}

    /**
     * Refuses what is larger than any file of results.
     *
     * @param what it should be, for the message
     */
    static void requireBounded(Path file, String what) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IllegalArgumentException(file + " is too large for " + what + "; is this the right file?");
        }
    }

    /**
     * The tree of a file whose size is bounded.
     *
     * @throws IllegalArgumentException if it has a checksum of another text; older files have none
     */
    static JsonNode read(Path file) throws IOException {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        if (SealedJson.isDamaged(text)) {
            throw new IllegalArgumentException("it is damaged, since its checksum does not match");
        }
        return Json.parse(text);
    }

    /**
     * The result in a file.
     *
     * @param required keys that it must have
     * @param what it should be, for the message
     */
    static <T> T read(Path file, Class<T> type, List<String> required, String what) throws IOException {
        requireBounded(file, "a result");
        try {
            JsonNode tree = read(file);
            for (String key : required) {
                if (!tree.hasNonNull(key)) {
                    throw new IllegalArgumentException("it has no " + key);
                }
            }
            return Json.value(tree, type);
        } catch (JsonProcessingException | IllegalArgumentException e) {
            String reason = e instanceof JsonProcessingException json ? Json.reason(json) : e.getMessage();
            throw new IllegalArgumentException(
                    file + " is not " + what + ": " + reason + "; delete it and run the grid again", e);
        }
    }

    /** Writes a value with its checksum, atomically. */
    static void write(Path file, Object value) throws IOException {
        SealedJson.write(file, value);
    }
}
