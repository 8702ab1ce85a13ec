package io.github.gramian.serve;

import io.github.gramian.image.codec.ImageLimits;
import io.github.gramian.serve.batch.internal.BatchLimits;
import io.github.gramian.serve.http.internal.HttpLimits;
import io.github.gramian.serve.http.internal.ServerSettings;
import io.github.gramian.serve.model.internal.ModelSpec;
import io.github.gramian.serve.tls.internal.TlsFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Fills in the defaults of settings that neither the file nor the command line sets. */
final class ServeSettings {

    private static final int BODY_BYTES = 16 << 20;
    private static final int HEADER_BYTES = 8 << 10;

    /** Pixels of an image: as many as the largest common telephone cameras make (8192×6144), and no more. */
    private static final long PIXELS = 50L << 20;

    /** Work of a request: the largest photograph as progressive JPEG of 20 scans or as PNG, or 3 s of one core. */
    private static final long PIXEL_PASSES = 1L << 30;

    private ServeSettings() {}

    static ServerSettings of(ServeFile file) {
        ServeFile.Batch batch = file.batch;
        ServeFile.Limits limits = file.limits;
        int body = or(limits.bodyBytes, BODY_BYTES);
        return new ServerSettings(
                or(file.models, List.<String>of()).stream()
                        .map(ServeSettings::model)
                        .toList(),
                new ServerSettings.Address(or(file.host, "127.0.0.1"), or(file.port, 8080)),
                new BatchLimits(or(batch.size, 16), Duration.ofMillis(or(batch.delayMillis, 5)), or(batch.queue, 64)),
                http(limits, body, or(file.deadlineMillis, 5000)),
                new ImageLimits(
                        body,
                        ImageLimits.DEFAULT.maxWidth(),
                        ImageLimits.DEFAULT.maxHeight(),
                        or(limits.pixels, PIXELS)),
                new ServerSettings.Access(
                        Optional.ofNullable(file.apiKeys),
                        tls(file.tls),
                        entries(file.hosts, "hosts"),
                        entries(file.origins, "origins")),
                new ServerSettings.Features(
                        or(file.page, true),
                        or(file.watch, false),
                        or(file.allowLoad, false),
                        Duration.ofSeconds(or(file.drainSeconds, 5)),
                        Optional.ofNullable(file.index)));
    }

    private static HttpLimits http(ServeFile.Limits limits, int body, int deadlineMillis) {
        long memory = Math.max(body, Runtime.getRuntime().maxMemory() / 4);
        return new HttpLimits(
                new HttpLimits.Sizes(body, or(limits.memoryBytes, memory), or(limits.headerBytes, HEADER_BYTES)),
                or(limits.connections, 512),
                new HttpLimits.Times(
                        Duration.ofMillis(or(limits.receiveMillis, 20_000)),
                        Duration.ofMillis(or(limits.idleMillis, 30_000)),
                        Duration.ofMillis(deadlineMillis)),
                or(limits.pixelPasses, PIXEL_PASSES));
    }

    /** @param text null for an entry of the file that has nothing after its dash */
    private static ModelSpec model(@Nullable String text) {
        if (text == null) {
            throw new IllegalArgumentException(
                    "an entry of models is empty; write path, name=path or name:version=path");
        }
        return ModelSpec.parse(text);
    }

    private static List<String> entries(@Nullable List<@Nullable String> entries, String setting) {
        List<String> given = new ArrayList<>();
        for (@Nullable String entry : or(entries, List.<@Nullable String>of())) {
            if (entry == null) {
                throw new IllegalArgumentException("an entry of " + setting + " is empty; remove it or write a name");
            }
            given.add(entry);
        }
        return given;
    }

    private static Optional<TlsFiles> tls(ServeFile.@Nullable Tls tls) {
        if (tls == null) {
            return Optional.empty();
        }
        Path certificates = tls.certificates;
        Path key = tls.key;
        if (certificates == null || key == null) {
            throw new IllegalArgumentException(
                    "TLS needs both files: tls.certificates (--tls-certificates) and tls.key (--tls-key)");
        }
        return Optional.of(new TlsFiles(certificates, key));
    }

    static <T> T or(@Nullable T value, T otherwise) {
        return value == null ? otherwise : value;
    }
}
