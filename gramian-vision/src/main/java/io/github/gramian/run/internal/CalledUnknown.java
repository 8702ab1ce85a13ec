package io.github.gramian.run.internal;

import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.eval.Prediction;
import io.github.gramian.io.internal.Text;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.Run;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How many images a model calls unknown. For images like the training images, these are false alarms. A model of one class has
 * no other score: its accuracy is always 100 %.
 *
 * @param images number of images
 * @param levels the usual levels of novelty, from small to large
 */
public record CalledUnknown(int images, List<Level> levels) {

    /**
     * One level.
     *
     * @param level novelty below which an image is unknown
     * @param unknown number of such images
     * @param needed number of training images that the level needs, if the model has fewer; 0 if it has enough
     */
    public record Level(double level, long unknown, long needed) {}

    public CalledUnknown {
        levels = List.copyOf(levels);
    }

    /**
     * Counts the images; empty if they have no novelty.
     *
     * @param reference of the model; without it, all levels count as possible
     */
    public static Optional<CalledUnknown> of(List<Prediction> predictions, Optional<Novelty> reference) {
        if (predictions.stream().anyMatch(one -> one.novelty().isEmpty())) {
            return Optional.empty();
        }
        double smallest = reference.map(Novelty::smallest).orElse(0.0);
        return Optional.of(new CalledUnknown(
                predictions.size(),
                Stream.of(0.01, 0.05, 0.1)
                        .map(level -> new Level(
                                level,
                                predictions.stream()
                                        .filter(one -> one.novelty().orElseThrow() < level)
                                        .count(),
                                smallest < level ? 0 : Math.round(1 / level)))
                        .toList()));
    }

    /** Counts the test images of a run. */
    public static Optional<CalledUnknown> of(Run run) throws IOException {
        try (StoredModel model = StoredModel.open(run.model())) {
            return of(run.predictions(), model.reference().novelty());
        }
    }

    /** One line for a terminal. */
    public String summary() {
        return Text.count(images, "image") + ", called unknown: "
                + levels.stream().map(CalledUnknown::words).collect(Collectors.joining(", "));
    }

    private static String words(Level one) {
        return one.needed == 0
                ? String.format(Locale.ROOT, "%d at level %s", one.unknown, one.level)
                : String.format(Locale.ROOT, "level %s needs %d training images", one.level, one.needed);
    }
}
