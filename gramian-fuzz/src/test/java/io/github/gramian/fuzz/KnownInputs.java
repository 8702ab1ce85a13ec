package io.github.gramian.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Inputs that once were findings: {@code src/test/resources/fuzz/TARGET/*}. */
final class KnownInputs {

    private static final Path FOLDER = Path.of("src", "test", "resources", "fuzz");

    private KnownInputs() {}

    static List<byte[]> of(String target) throws IOException {
        Path folder = FOLDER.resolve(target);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().map(KnownInputs::content).toList();
        }
    }

    private static byte[] content(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
