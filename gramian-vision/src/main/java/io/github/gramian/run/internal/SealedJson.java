package io.github.gramian.run.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.TrainingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A JSON object in a file or on a separate line, whose last member is a checksum of the string without it. */
public final class SealedJson {

    private static final Pattern SEAL = Pattern.compile(",\"crc32c\":\"([0-9a-f]{8})\"}\n?$");

    private SealedJson() {}

    /** An object that has members, with its checksum as another one. */
    public static String seal(String object) {
        return object.substring(0, object.length() - 1) + ",\"crc32c\":\"" + Checksum.of(object) + "\"}";
    }

    /** Whether a string has a checksum that does not match. A string without one may come from another program. */
    public static boolean isDamaged(String text) {
        Matcher seal = SEAL.matcher(text);
        return seal.find() && !holds(seal, text);
    }

    private static boolean holds(Matcher seal, String text) {
        return seal.group(1).equals(Checksum.of(text.substring(0, seal.start()) + "}"));
    }

    /** Writes an object that has members, atomically. */
    public static void write(Path file, Object value) throws IOException {
        AtomicFile.writeText(file, seal(Json.text(value)) + "\n");
    }

    /** The object of a string; empty if it has no checksum that matches. */
    public static Optional<ObjectNode> parse(String text) throws IOException {
        Matcher seal = SEAL.matcher(text);
        return seal.find() && holds(seal, text) ? Optional.of((ObjectNode) Json.parse(text)) : Optional.empty();
    }

    /**
     * Reads an object back.
     *
     * @throws TrainingException if it is damaged
     */
    public static ObjectNode read(Path file) throws IOException {
        // Bytes that are not UTF-8 become other characters, and the checksum does not match.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        return parse(text).orElseThrow(() -> new TrainingException(file + " is damaged: its checksum does not match"));
    }
}
