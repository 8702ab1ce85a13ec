package io.github.gramian.run.internal;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.run.TrainingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A JSON object in a file of its own, whose last member is a checksum of the text without it. */
public final class SealedJson {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern SEAL = Pattern.compile(",\"crc32c\":\"([0-9a-f]{8})\"}\n$");

    private SealedJson() {}

    /** Writes an object that has members, atomically. */
    public static void write(Path file, Object value) throws IOException {
        String text = JSON.writeValueAsString(value);
        String open = text.substring(0, text.length() - 1);
        AtomicFile.writeText(file, open + ",\"crc32c\":\"" + Checksum.of(text) + "\"}\n");
    }

    /**
     * Reads an object back.
     *
     * @throws TrainingException if it is damaged
     */
    public static ObjectNode read(Path file) throws IOException {
        // Bytes that are not UTF-8 become other characters, and the checksum does not match.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        Matcher seal = SEAL.matcher(text);
        if (!seal.find() || !seal.group(1).equals(Checksum.of(text.substring(0, seal.start()) + "}"))) {
            throw new TrainingException(file + " is damaged: its checksum does not match");
        }
        return (ObjectNode) JSON.readTree(text);
    }
}
