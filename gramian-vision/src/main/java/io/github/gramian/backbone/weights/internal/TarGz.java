package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.io.internal.TarReader;
import io.github.gramian.io.internal.TarReader.TarException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Unpacks chosen files of a .tgz into a directory, numbered instead of under their own names, so that no name in the archive
 * can reach outside. The whole may not grow beyond a multiple of the archive: weights are hardly compressed.
 */
final class TarGz {

    private static final int MAX_ENTRIES = 10_000;
    private static final long MAX_RATIO = 20;
    private static final long ALWAYS_ALLOWED = 64L << 20;

    private TarGz() {}

    /** Name in the archive → unpacked file, for the regular files whose names are wanted. */
    static Map<String, Path> unpack(Path archive, Path folder, Predicate<String> wanted) throws IOException {
        long maxBytes = Math.max(ALWAYS_ALLOWED, Math.multiplyExact(Files.size(archive), MAX_RATIO));
        Map<String, Path> files = new LinkedHashMap<>();
        try (BufferedInputStream packed = new BufferedInputStream(Files.newInputStream(archive));
                TarReader tar = new TarReader(new GZIPInputStream(packed, 1 << 16), maxBytes)) {
            for (int number = 0; number < MAX_ENTRIES; number++) {
                TarReader.Entry entry = tar.next();
                if (entry == null) {
                    return files;
                }
                if (entry.isFile() && wanted.test(entry.name())) {
                    Path target = folder.resolve("entry" + number);
                    try (OutputStream out = Files.newOutputStream(target)) {
                        tar.copyTo(out);
                    }
                    files.put(entry.name(), target);
                }
            }
        } catch (TarException | ZipException | EOFException e) {
            throw new WeightsException(
                    archive + " is not a whole .tgz of weights (" + e.getMessage() + "); download it again", e);
        }
        throw new WeightsException(archive + " has more than " + MAX_ENTRIES + " entries; it is rejected");
    }
}
