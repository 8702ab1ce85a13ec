package io.github.gramian.serve;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.github.gramian.cli.common.TextFile;
import io.github.gramian.io.internal.Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code serve.yaml}: every setting of the server. Settings that the file does not have are null. An unknown setting is an
 * error that names its place. Paths are relative to the directory in which the command runs. The command line overwrites
 * fields, so this is a class with fields rather than a record.
 */
@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
final class ServeFile {

    /** As on the command line: {@code name=path}, {@code name:version=path} or a path. */
    @Nullable
    List<String> models;

    @Nullable
    String host;

    @Nullable
    Integer port;

    @JsonSetter(nulls = Nulls.SKIP)
    Batch batch = new Batch();

    @Nullable
    Integer deadlineMillis;

    @Nullable
    Integer drainSeconds;

    @JsonSetter(nulls = Nulls.SKIP)
    Limits limits = new Limits();

    @Nullable
    Path apiKeys;

    @Nullable
    List<String> hosts;

    @Nullable
    List<String> origins;

    /** Null without TLS; an empty block is an error, so that nobody serves unencrypted by mistake. */
    @Nullable
    Tls tls;

    /** Directory from {@code gramian index}. */
    @Nullable
    Path index;

    /** A file, or {@code -} for standard output. */
    @Nullable
    String accessLog;

    @Nullable
    Boolean page;

    @Nullable
    Boolean watch;

    @Nullable
    Boolean allowLoad;

    /** How images are collected. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Batch {
        @Nullable
        Integer size;

        @Nullable
        Integer delayMillis;

        @Nullable
        Integer queue;
    }

    /** Limits of clients. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Limits {
        @Nullable
        Integer bodyBytes;

        @Nullable
        Long memoryBytes;

        @Nullable
        Integer headerBytes;

        @Nullable
        Integer connections;

        @Nullable
        Integer receiveMillis;

        @Nullable
        Integer idleMillis;

        @Nullable
        Long pixels;

        @Nullable
        Long pixelPasses;
    }

    /** Files for TLS. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Tls {
        @Nullable
        Path certificates;

        @Nullable
        Path key;
    }

    /** The YAML parser copies a long scalar again and again, so that its cost grows with the square of its length. */
    private static final long MAX_BYTES = 1 << 18;

    private static final YAMLMapper MAPPER = YAMLMapper.builder(YAMLFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .build();

    static ServeFile read(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IllegalArgumentException(file + " is too large for a configuration");
        }
        String text = TextFile.read(file);
        try {
            ServeFile read = text.isBlank() ? null : MAPPER.readValue(text, ServeFile.class);
            return read == null ? new ServeFile() : read;
        } catch (JacksonException e) {
            List<String> path = path(e);
            throw new IllegalArgumentException(
                    file + place(text, path, e) + ": " + explained(e, String.join(".", path)), e);
        }
    }

    private static List<String> path(JacksonException wrong) {
        return wrong instanceof JsonMappingException mapping
                ? mapping.getPath().stream()
                        .map(JsonMappingException.Reference::getFieldName)
                        .filter(Objects::nonNull)
                        .toList()
                : List.of();
    }

    /** Where a setting stands: exceptions know only how far the reader had come. */
    private static String place(String text, List<String> path, JacksonException wrong) throws IOException {
        JsonLocation at = wrong.getLocation();
        if (!path.isEmpty()) {
            try (JsonParser parser = MAPPER.createParser(text)) {
                int found = 0;
                while (found < path.size() && parser.nextToken() != null) {
                    found += path.get(found).equals(parser.currentName())
                                    && parser.currentToken() == JsonToken.FIELD_NAME
                            ? 1
                            : 0;
                }
                at = parser.currentTokenLocation();
            }
        }
        return at == null ? "" : ":" + at.getLineNr() + ":" + at.getColumnNr();
    }

    private static String explained(JacksonException wrong, String where) {
        if (wrong instanceof UnrecognizedPropertyException unknown) {
            return "there is no setting '" + where + "'; there are "
                    + unknown.getKnownPropertyIds().stream()
                            .map(Object::toString)
                            .sorted()
                            .collect(Collectors.joining(", "));
        }
        if (where.isEmpty()) {
            return Text.firstLine(wrong.getOriginalMessage()); // of the YAML parser, about the form of the file
        }
        return "'" + where + "' has a value that does not fit; it must be "
                + (wrong instanceof MismatchedInputException kind ? kind(kind.getTargetType()) : "a smaller number");
    }

    private static String kind(@Nullable Class<?> type) {
        if (type == Integer.class || type == Long.class) {
            return "a whole number";
        }
        if (type == Boolean.class) {
            return "true or false";
        }
        if (type == String.class || type == Path.class) {
            return "a string";
        }
        return type != null && List.class.isAssignableFrom(type) ? "a list in brackets" : "a block of settings";
    }
}
