package io.github.gramian.certainty.internal;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.io.internal.Text;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a model stores about images that it was trained or validated with, so that it can say how much its answers are worth.
 * {@link CertaintyFile} reads and writes it.
 *
 * @param novelty for telling unknown images
 * @param sets for sets of classes
 */
public record ModelCertainty(Optional<Novelty> novelty, Optional<PredictionSets> sets) {

    private static final String NO_NOVELTY =
            "the model has no novelty: no image was left to calibrate it; train it again with"
                    + " at least 4 images or, if gradient descent trains it, with 20 validation images";
    private static final String NO_SETS =
            "the model has no sets of classes: no image was left to calibrate them; train it"
                    + " again with 9 validation images";

    private static final double USUAL_LEVEL = 0.05;
    private static final double USUAL_COVERAGE = 0.9;

    /** 1 / 0.05 is a little less than 20. */
    private static final double ROUNDING = 1e-9;

    /** Of a model that was never trained, or that no image could calibrate. */
    public static ModelCertainty none() {
        return new ModelCertainty(Optional.empty(), Optional.empty());
    }

    /** What tells unknown images; refuses a model that has none. */
    public Novelty requireNovelty() {
        return novelty.orElseThrow(() -> new IllegalArgumentException(NO_NOVELTY));
    }

    /** What gives sets of classes; refuses a model that has none. */
    public PredictionSets requireSets() {
        return sets.orElseThrow(() -> new IllegalArgumentException(NO_SETS));
    }

    /** What the model cannot answer at the levels that most people ask for, in sentences. */
    public List<String> limits() {
        return Stream.of(
                        novelty.isEmpty() ? Optional.of(NO_NOVELTY) : unknownNote(USUAL_LEVEL),
                        sets.isEmpty() ? Optional.of(NO_SETS) : setsNote(USUAL_COVERAGE))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Why few images or none can be unknown at a level; empty if there are enough images. */
    Optional<String> unknownNote(double level) {
        Novelty reference = requireNovelty();
        int needed = (int) Math.floor(1 / level + ROUNDING);
        return note(reference.calibrationCount(), needed, "a level of " + plain(level), "no image is called unknown")
                .or(() -> reference.singles() > level
                        ? Optional.of(
                                "many classes of this model have a single training image, so few unknown images are"
                                        + " recognised; train with at least two images per class")
                        : Optional.empty());
    }

    /** Why every set holds all classes; empty if there are enough calibration images. */
    Optional<String> setsNote(double coverage) {
        return note(
                requireSets().scores().length,
                PredictionSets.fewestScores(coverage),
                "a coverage of " + plain(coverage),
                "every set holds all classes");
    }

    private static String plain(double level) {
        return BigDecimal.valueOf(level).stripTrailingZeros().toPlainString();
    }

    private static Optional<String> note(int count, int needed, String asked, String consequence) {
        return count >= needed
                ? Optional.empty()
                : Optional.of(asked + " needs " + Text.count(needed, "calibration image") + " and the model has "
                        + count + ", so " + consequence);
    }
}
