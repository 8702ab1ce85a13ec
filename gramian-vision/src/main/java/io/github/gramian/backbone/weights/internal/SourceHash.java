package io.github.gramian.backbone.weights.internal;

import io.github.gramian.io.internal.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** SHA-256 of a source of weights, as 64 lower-case hexadecimal digits. */
public final class SourceHash {

    private SourceHash() {}

    /** The hash of a file. For a tfjs directory, the hash of its model.json and .bin files, in the order of their names. */
    public static String of(Path source) throws IOException {
        Sha256 sum = new Sha256();
        for (Path file : files(source)) {
            sum.add(file);
        }
        return sum.hex();
    }

    private static List<Path> files(Path source) throws IOException {
        if (Files.isDirectory(source) || source.endsWith("model.json")) {
            Path folder = Files.isDirectory(source)
                    ? source
                    : source.toAbsolutePath().resolveSibling(".").normalize();
            try (Stream<Path> all = Files.list(folder)) {
                return all.filter(file -> file.endsWith("model.json")
                                || file.getFileName().toString().endsWith(".bin"))
                        .sorted()
                        .toList();
            }
        }
        return List.of(source);
    }
}
