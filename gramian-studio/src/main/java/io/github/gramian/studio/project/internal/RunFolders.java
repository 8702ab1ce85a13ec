package io.github.gramian.studio.project.internal;

import io.github.gramian.run.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a studio: run-1, run-2, … in one directory.
 *
 * @param out the directory, which need not exist
 */
record RunFolders(Path out) {

    /** The one after the last that exists. */
    Path free() {
        return folder(last() + 1);
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
        for (int number = last(); number > 0; number--) {
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

    /** The largest number of a run, which a deleted run before it does not change; 0 if there is none. */
    private int last() {
        String[] names = Objects.requireNonNullElse(out.toFile().list(), new String[0]);
        return Stream.of(names)
                .filter(name -> name.matches("run-[1-9]\\d{0,8}"))
                .mapToInt(name -> Integer.parseInt(name.substring("run-".length())))
                .max()
                .orElse(0);
    }

    private Path folder(int number) {
        return out.resolve("run-" + number);
    }
}
