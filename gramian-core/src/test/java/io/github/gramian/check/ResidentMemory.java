package io.github.gramian.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory of this process is in RAM, native memory included; for tests that watch for leaks. */
public final class ResidentMemory {

    private static final Path STATUS = Path.of("/proc/self/status");

    private ResidentMemory() {}

    /** Whether the system reports resident memory; only Linux does. */
    public static boolean isKnown() {
        return Files.isReadable(STATUS);
    }

    public static long kilobytes() throws IOException {
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }
}
