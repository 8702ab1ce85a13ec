package io.github.gramian.run;

import io.github.gramian.eval.Scores;
import io.github.gramian.run.internal.RunFolder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A training that has ended.
 *
 * @param folder holds the model and everything known about it
 * @param scores on the test images
 * @param validationAccuracy on the validation images; null if there were none
 */
public record Run(Path folder, Scores scores, @Nullable Double validationAccuracy) {

    /** The trained model, for {@link io.github.gramian.model.Predictor#load}. */
    public Path model() {
        return files().model();
    }

    /** Where its other files are. */
    public RunFolder files() {
        return new RunFolder(folder);
    }
}
