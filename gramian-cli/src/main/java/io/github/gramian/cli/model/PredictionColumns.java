package io.github.gramian.cli.model;

import io.github.gramian.eval.Prediction;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What is printed of a prediction.
 *
 * @param top number of most probable classes
 * @param coverage of the set of classes; null for no set
 * @param novelty whether the model computes the novelty of images
 * @param unknown level of novelty below which an image has no class; null if every image gets one
 * @param sorted whether the images are sorted by novelty
 * @param single whether the model has a single class, whose probability is always 1
 */
record PredictionColumns(
        int top,
        @Nullable Double coverage,
        boolean novelty,
        @Nullable Double unknown,
        boolean sorted,
        boolean single) {

    private static final String UNKNOWN = "unknown";

    /** Whether the image is too unlike the training images to have a class. */
    boolean isUnknown(Prediction prediction) {
        OptionalDouble found = prediction.novelty();
        return unknown != null && found.isPresent() && found.getAsDouble() < unknown;
    }

    /** The predicted class, or that there is none. */
    String label(Prediction prediction) {
        return isUnknown(prediction) ? UNKNOWN : prediction.label();
    }

    /** The names of the classes in the set. */
    List<String> set(Prediction prediction) {
        if (coverage == null) {
            throw new IllegalStateException("no set was requested");
        }
        return prediction.set(coverage).stream()
                .map(Prediction.Candidate::label)
                .toList();
    }
}
