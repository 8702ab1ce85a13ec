package io.github.gramian.check;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder for what takes long to make and all tests of this JVM read; deleted when it ends. */
public final class SharedFolder {

    private SharedFolder() {}

    public static Path create(String prefix) {
        try {
            Path folder = Files.createTempDirectory(prefix).toRealPath();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            // A temporary folder that cannot be deleted is not an error of the test.
        }
    }
}
