package io.github.gramian.bench.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The BLAS that our engine has loaded, as a file that a peer can load instead of its own. Debian's PyTorch uses the
 * BLAS of the system, often the unoptimised reference. With the same BLAS, heads are compared and not libraries.
 */
final class SharedBlas {

    private static final Pattern OPENBLAS = Pattern.compile("libopenblas[^/]*\\.so[.0-9]*");
    private static final Path MAPS = Path.of("/proc/self/maps");

    private SharedBlas() {}

    /** Empty if the system does not report it, or if the BLAS of the engine is not OpenBLAS. */
    static Optional<Path> find() {
        if (!Files.isReadable(MAPS)) {
            return Optional.empty();
        }
        try (Stream<String> lines = Files.lines(MAPS)) {
            return lines.filter(line -> line.indexOf('/') > 0)
                    .map(line -> Path.of(line.substring(line.indexOf('/'))))
                    .filter(file ->
                            OPENBLAS.matcher(file.getFileName().toString()).matches())
                    .filter(Files::isRegularFile)
                    .findFirst();
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }
}
