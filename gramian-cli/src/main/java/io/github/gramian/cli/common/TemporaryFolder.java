package io.github.gramian.cli.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder that is deleted with its content. */
public record TemporaryFolder(Path path) implements AutoCloseable {

    /** One in the system's place for them. */
    public static TemporaryFolder create() throws IOException {
        return new TemporaryFolder(Files.createTempDirectory("gramian"));
    }

    /** One in a given folder, on its disk. */
    public static TemporaryFolder in(Path parent) throws IOException {
        return new TemporaryFolder(Files.createTempDirectory(Files.createDirectories(parent), "gramian"));
    }

    @Override
    public void close() throws IOException {
        List<Path> everything;
        try (Stream<Path> below = Files.walk(path)) {
            everything = below.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path one : everything) {
            Files.deleteIfExists(one);
        }
    }
}
