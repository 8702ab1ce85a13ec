package io.github.gramian.studio.project.internal;

import io.github.gramian.run.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a studio: run-1, run-2, … in one directory.
 *
 * @param out the directory, which need not exist
 */
record RunFolders(Path out) {

    /** The first one that does not exist. */
    Path free() {
        return folder(firstFree());
    }

    private int firstFree() {
        int number = 1;
        while (Files.exists(folder(number))) {
            number++;
        }
        return number;
    }

    /** The latest run that is complete. */
    Optional<Run> latest() {
        return latest(folder -> Files.isRegularFile(folder.resolve("model.gramian"))
                        && Files.isRegularFile(folder.resolve("report.html"))
                ? Run.open(folder)
                : null);
    }

    /** The latest predictions of any run. */
    Optional<RestPredictions> predictions(Photographs photographs) {
        return latest(folder -> {
            Path csv = RestPredictions.csv(folder);
            return Files.isRegularFile(csv) ? RestPredictions.read(csv, photographs) : null;
        });
    }

    /** What is in a run, or null. */
    @FunctionalInterface
    private interface Content<T> {
        @Nullable
        T in(Path folder) throws IOException;
    }

    private <T> Optional<T> latest(Content<T> content) {
        for (int number = firstFree() - 1; number > 0; number--) {
            try {
                T found = content.in(folder(number));
                if (found != null) {
                    return Optional.of(found);
                }
            } catch (IOException | RuntimeException e) {
                // Written by another version, or damaged: the one before may serve.
            }
        }
        return Optional.empty();
    }

    private Path folder(int number) {
        return out.resolve("run-" + number);
    }
}
