package io.github.gramian.cli.model;

import io.github.gramian.eval.Prediction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is printed of a prediction.
 *
 * @param top number of most probable classes
 * @param coverage of the set of classes; null for no set
 */
record PredictionColumns(int top, @Nullable Double coverage) {

    /** The names of the classes in the set. */
    List<String> set(Prediction prediction) {
        if (coverage == null) {
            throw new IllegalStateException("no set was asked for");
        }
        return prediction.set(coverage).stream()
                .map(Prediction.Candidate::label)
                .toList();
    }
}
