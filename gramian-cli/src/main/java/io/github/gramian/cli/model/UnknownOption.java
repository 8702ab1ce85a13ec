package io.github.gramian.cli.model;

import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import java.util.Locale;
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
        NoveltyReference reference = predictor
                .reference()
                .novelty()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the model has no reference of its training images, which --unknown needs: it comes from an"
                                + " earlier version, or has too few training images; train it again"));
        double smallest = reference.smallestPValue();
        return smallest < level
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "the smallest novelty of this model is %.4f, so no image is unknown at a level of %s; raise"
                                + " the level or train with more images",
                        smallest,
                        level));
    }
}
