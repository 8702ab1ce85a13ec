package io.github.gramian.certainty.internal;

import io.github.gramian.certainty.PredictionSets;
import io.github.gramian.io.internal.Text;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What a caller asks about the certainty of predictions, in range.
 *
 * @param coverage of sets of classes; null for no sets
 * @param unknown novelty below which an image has no class; null if every image gets one
 */
public record CertaintyRequest(
        @Nullable Double coverage, @Nullable Double unknown) implements Serializable {

    private static final long serialVersionUID = 1;

    /** Neither sets nor unknown images. */
    public static final CertaintyRequest NONE = new CertaintyRequest(null, null);

    public CertaintyRequest {
        if (coverage != null) {
            PredictionSets.requireCoverage(coverage);
        }
        if (unknown != null && !(unknown > 0 && unknown < 1)) {
            throw new IllegalArgumentException(outOfRange("unknown", "0.05") + ", but is " + unknown);
        }
    }

    /** Only sets of classes, or nothing. */
    public static CertaintyRequest sets(OptionalDouble coverage) {
        return coverage.isPresent() ? new CertaintyRequest(coverage.getAsDouble(), null) : NONE;
    }

    /**
     * Reads decimal numbers.
     *
     * @param coverage null for no sets
     * @param unknown null if every image gets a class
     */
    public static CertaintyRequest parse(@Nullable String coverage, @Nullable String unknown) {
        return new CertaintyRequest(parse(coverage, "coverage", "0.9"), parse(unknown, "unknown", "0.05"));
    }

    private static @Nullable Double parse(@Nullable String text, String name, String example) {
        try {
            return text == null ? null : (Double) Text.decimal(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(outOfRange(name, example), e);
        }
    }

    private static String outOfRange(String name, String example) {
        return name + " must lie between 0 and 1, such as " + example;
    }

    /** Refuses a model that cannot answer this. */
    public void require(ModelCertainty model) {
        if (coverage != null) {
            model.requireSets();
        }
        if (unknown != null) {
            model.requireNovelty();
        }
    }

    /** Why answers can say nothing at these levels: the model has too few calibration images. */
    public List<String> notes(ModelCertainty model) {
        List<String> notes = new ArrayList<>();
        if (coverage != null) {
            model.setsNote(coverage).ifPresent(notes::add);
        }
        if (unknown != null) {
            model.unknownNote(unknown).ifPresent(notes::add);
        }
        return notes;
    }

    /** Whether an image of this novelty is too unlike the training images to have a class. */
    public boolean isUnknown(OptionalDouble novelty) {
        return unknown != null && novelty.isPresent() && novelty.getAsDouble() < unknown;
    }
}
