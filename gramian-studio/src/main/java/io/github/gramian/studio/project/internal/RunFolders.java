package io.github.gramian.studio.project.internal;

import io.github.gramian.run.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The runs of a studio: run-1, run-2, … in one directory.
 *
 * @param out the directory, which need not exist
 */
record RunFolders(Path out) {

    /** The first one that does not exist. */
    Path free() {
        int number = 1;
        while (Files.exists(folder(number))) {
            number++;
        }
        return folder(number);
    }

    /** The latest run that is complete. */
    Optional<Run> latest() {
        int number = 1;
        while (Files.exists(folder(number))) {
            number++;
        }
        for (int i = number - 1; i > 0; i--) {
            Path folder = folder(i);
            if (Files.isRegularFile(folder.resolve("model.gramian"))
                    && Files.isRegularFile(folder.resolve("report.html"))) {
                try {
                    return Optional.of(Run.open(folder));
                } catch (IOException | RuntimeException e) {
                    // Written by another version, or damaged: the one before may serve.
                }
            }
        }
        return Optional.empty();
    }

    private Path folder(int number) {
        return out.resolve("run-" + number);
    }
}
