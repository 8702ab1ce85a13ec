package io.github.gramian.tensor.internal;

import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.natives.internal.UserCache;
import io.github.gramian.tensor.Precision;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The precision that was measured to be the fastest on this machine, in a file of the user's cache. Its first line is the
 * processor, its second line the precision. A measurement on another processor does not count: home directories are often
 * shared between machines.
 *
 * @param folder the cache directory
 * @param processor this machine's processor
 */
record StoredPrecision(Path folder, String processor) {

    private static final long MAX_BYTES = 4096;

    /** The one of this machine; empty if the system names no directory for caches. */
    static Optional<StoredPrecision> ofThisMachine() {
        return UserCache.current().gramian().map(cache -> new StoredPrecision(cache, Cpu.name()));
    }

    /** What was measured on this processor; empty if nothing was, or if the file cannot be read. */
    Optional<Precision> read() {
        Path file = file();
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > MAX_BYTES) {
                return Optional.empty();
            }
            List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
            return lines.size() == 2 && lines.get(0).equals(processor)
                    ? Stream.of(Precision.FLOAT, Precision.BFLOAT16)
                            .filter(precision ->
                                    precision.name().equals(lines.get(1).strip()))
                            .findFirst()
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // such as bytes that are not UTF-8; the processor's features decide then
        }
    }

    Path file() {
        return folder.resolve("precision.txt");
    }

    void write(Precision precision) throws IOException {
        AtomicFile.makeFolder(folder);
        AtomicFile.writeText(file(), processor + "\n" + precision.name() + "\n");
    }
}
