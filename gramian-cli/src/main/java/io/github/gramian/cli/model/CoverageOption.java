package io.github.gramian.cli.model;

import io.github.gramian.eval.conformal.internal.PredictionSets;
import io.github.gramian.eval.conformal.internal.SetScores;
import io.github.gramian.model.internal.BatchPredictor;
import java.util.Locale;
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
        SetScores scores = predictor
                .reference()
                .sets()
                .orElseThrow(
                        () -> new IllegalArgumentException(
                                "the model has no calibration scores, which --coverage needs: it comes from an earlier version, or its"
                                        + " head was trained without validation images; train it again with validation images"));
        int needed = PredictionSets.fewestScores(coverage);
        int count = scores.scores().length;
        return count >= needed
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "a coverage of %s needs %d calibration images and the model has %d, so every set holds all classes",
                        coverage,
                        needed,
                        count));
    }
}
