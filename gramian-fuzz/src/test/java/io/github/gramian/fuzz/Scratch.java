package io.github.gramian.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A private folder for readers that take a file, in memory where the system has such a place. */
public final class Scratch {

    private static final Path IN_MEMORY = Path.of("/dev/shm");

    private final Path folder;

    public Scratch() {
        try {
            folder = Files.isWritable(IN_MEMORY)
                    ? Files.createTempDirectory(IN_MEMORY, "gramian-fuzz")
                    : Files.createTempDirectory("gramian-fuzz");
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::delete));
    }

    public Path folder() {
        return folder;
    }

    /** A file of this name with this content. */
    public Path file(String name, byte[] content) throws IOException {
        return Files.write(folder.resolve(name), content);
    }

    private void delete() {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // The system empties the folder at its next start.
        }
    }
}
