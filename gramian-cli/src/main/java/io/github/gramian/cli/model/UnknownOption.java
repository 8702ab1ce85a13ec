package io.github.gramian.cli.model;

import io.github.gramian.model.internal.BatchPredictor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --unknown}: images that are unlike the training images. */
final class UnknownOption {

    @Option(
            names = "--unknown",
            paramLabel = "LEVEL",
            description = "Print 'unknown' as class if the novelty is below this level, such as 0.05."
                    + " It rejects this share of images that are like the training images.")
    private @Nullable Double level;

    /** The level; null if every image gets a class. */
    @Nullable
    Double level() {
        return level;
    }

    /**
     * Refuses a model that cannot recognise unknown images.
     *
     * @return a note on a model with too few training images for this level
     */
    Optional<String> check(BatchPredictor predictor) {
        if (level == null) {
            return Optional.empty();
        }
        if (!(level > 0 && level < 1)) {
            throw new IllegalArgumentException("--unknown must lie between 0 and 1, such as 0.05, but is " + level);
        }
        return predictor.reference().unknownNote(level);
    }
}
