package io.github.gramian.similar.index.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.json.internal.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * What makes an index one: all of its vectors come from one model and one reduction. It is written once, complete, before the first
 * image is stored.
 *
 * @param model path of the model when the index was created, for queries with new photographs
 * @param modelSha256 of the model's file
 * @param reduction checksum of the reduction's file
 * @param dimensions of a vector
 */
public record Manifest(String model, String modelSha256, String reduction, int dimensions) {

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
}
