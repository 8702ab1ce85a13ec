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
import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.io.internal.Text;
import io.github.gramian.serve.http.internal.ServerSettings;
import io.github.gramian.serve.http.internal.ServerSettings.HttpLimits;
import io.github.gramian.serve.http.internal.Tls.TlsFiles;
import io.github.gramian.serve.inference.internal.Batcher.BatchLimits;
import io.github.gramian.serve.inference.internal.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code serve.yaml}: every setting of the server with its default. An unknown setting is an error that names its place. Paths
 * are relative to the directory in which the command runs. The command line overwrites fields, so this is a class with fields
 * rather than a record.
 */
@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
final class ServeFile {

    /** As on the command line: {@code name=path}, {@code name:version=path} or a path. */
    List<@Nullable String> models = List.of();

    String host = "127.0.0.1";
    int port = 8080;
    Batch batch = new Batch();
    int deadlineMillis = 5000;
    int drainSeconds = 5;
    Limits limits = new Limits();

    @Nullable
    Path apiKeys;

    List<@Nullable String> hosts = List.of();
    List<@Nullable String> origins = List.of();

    /** Null without TLS; an empty block is an error, so that nobody serves unencrypted by mistake. */
    @Nullable
    Tls tls;

    /** Directory from {@code gramian index}. */
    @Nullable
    Path index;

    /** Directory of its photographs, if the page may show small copies of them. */
    @Nullable
    Path indexPhotos;

    /** A file, or {@code -} for standard output. */
    @Nullable
    String accessLog;

    boolean page = true;
    boolean watch;
    boolean allowLoad;

    /** How images are collected. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Batch {
        int size = 16;
        int delayMillis = 5;
        int queue = 64;
    }

    /** Limits of clients. */
    @JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
    static final class Limits {
        int bodyBytes = 16 << 20;

        /** Without it, a quarter of the heap, or one body if that is more. */
        @Nullable
        Long memoryBytes;

        int headerBytes = 8 << 10;
        int connections = 512;
        int receiveMillis = 20_000;
        int idleMillis = 30_000;

        /** Pixels of an image: as many as the largest common telephone cameras make (8192×6144), and no more. */
        long pixels = 50L << 20;

        /** Work of a request: the largest photograph as progressive JPEG of 20 scans or as PNG, or 3 s of one core. */
        long pixelPasses = 1L << 30;
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
            .defaultSetterInfo(JsonSetter.Value.forValueNulls(Nulls.SKIP))
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

    /** The settings, with their defaults. */
    ServerSettings settings() {
        long memory = Math.max(limits.bodyBytes, Runtime.getRuntime().maxMemory() / 4);
        return new ServerSettings(
                models.stream().map(ServeFile::model).toList(),
                new ServerSettings.Address(host, port),
                new BatchLimits(batch.size, Duration.ofMillis(batch.delayMillis), batch.queue),
                new HttpLimits(
                        new HttpLimits.Sizes(
                                limits.bodyBytes,
                                limits.memoryBytes == null ? memory : limits.memoryBytes,
                                limits.headerBytes),
                        limits.connections,
                        new HttpLimits.Times(
                                Duration.ofMillis(limits.receiveMillis),
                                Duration.ofMillis(limits.idleMillis),
                                Duration.ofMillis(deadlineMillis)),
                        limits.pixelPasses),
                new ImageLimits(
                        limits.bodyBytes,
                        ImageLimits.DEFAULT.maxWidth(),
                        ImageLimits.DEFAULT.maxHeight(),
                        limits.pixels),
                new ServerSettings.Access(
                        Optional.ofNullable(apiKeys), tlsFiles(), entries(hosts, "hosts"), entries(origins, "origins")),
                new ServerSettings.Features(
                        page,
                        watch,
                        allowLoad,
                        Duration.ofSeconds(drainSeconds),
                        Optional.ofNullable(index),
                        Optional.ofNullable(indexPhotos)));
    }

    /** @param text null for an entry of the file that has nothing after its dash */
    private static ModelSpec model(@Nullable String text) {
        if (text == null) {
            throw new IllegalArgumentException(
                    "an entry of models is empty; write path, name=path or name:version=path");
        }
        return ModelSpec.parse(text);
    }

    private static List<String> entries(List<@Nullable String> entries, String setting) {
        List<String> given = new ArrayList<>();
        for (@Nullable String entry : entries) {
            if (entry == null) {
                throw new IllegalArgumentException("an entry of " + setting + " is empty; remove it or write a name");
            }
            given.add(entry);
        }
        return given;
    }

    private Optional<TlsFiles> tlsFiles() {
        if (tls == null) {
            return Optional.empty();
        }
        if (tls.certificates == null || tls.key == null) {
            throw new IllegalArgumentException(
                    "TLS needs both files: tls.certificates (--tls-certificates) and tls.key (--tls-key)");
        }
        return Optional.of(new TlsFiles(tls.certificates, tls.key));
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
        if (type == int.class || type == long.class || type == Long.class) {
            return "a whole number";
        }
        if (type == boolean.class) {
            return "true or false";
        }
        if (type == String.class || type == Path.class) {
            return "a string";
        }
        return type != null && List.class.isAssignableFrom(type) ? "a list in brackets" : "a block of settings";
    }
}
