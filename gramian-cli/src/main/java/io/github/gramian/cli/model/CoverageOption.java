package io.github.gramian.cli.model;

import io.github.gramian.eval.conformal.internal.PredictionSets;
import io.github.gramian.model.internal.BatchPredictor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --coverage}: sets of classes. */
final class CoverageOption {

    @Option(
            names = "--coverage",
            paramLabel = "SHARE",
            description =
                    "Also print a set of classes that holds the true class for this share of images, such as 0.9.")
    private @Nullable Double coverage;

    /** The coverage; null if no sets are wanted. */
    @Nullable
    Double coverage() {
        return coverage;
    }

    /**
     * Refuses a model that cannot give sets.
     *
     * @return a note on a model that can only give sets of all classes
     */
    Optional<String> check(BatchPredictor predictor) {
        if (coverage == null) {
            return Optional.empty();
        }
        PredictionSets.requireLevel(coverage);
        return predictor.reference().setsNote(coverage);
    }
}
