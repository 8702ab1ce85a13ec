package io.github.gramian.run;

import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Scores;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A finished training: its model, scores, recipe and predictions. {@link io.github.gramian.train.Training} returns one, and
 * {@link #open} reads it again from its directory.
 *
 * <pre>{@code
 * Run run = Run.open(Path.of("runs/first"));
 * System.out.println(run.scores().accuracy());
 * try (Predictor predictor = Predictor.load(run.model())) { … }
 * }</pre>
 *
 * @param directory the run directory, with the model and everything that is known about it
 * @param scores on the test images
 * @param validationAccuracy on the validation images; null if there were none
 */
public record Run(Path directory, Scores scores, @Nullable Double validationAccuracy) {

    /**
     * Opens a finished run.
     *
     * @throws UnfinishedRunException if the training was stopped or killed, or is not finished yet
     * @throws TrainingException if the directory does not hold a run, or if its scores are damaged
     */
    public static Run open(Path directory) throws IOException {
        ScoresFile file = ScoresFile.ofRun(new RunFolder(directory), directory.toString());
        return new Run(directory, file.scores(), file.validationAccuracy());
    }

    /** The trained model, for {@link io.github.gramian.model.Predictor#load}. */
    public Path model() {
        return new RunFolder(directory).model();
    }

    /**
     * The complete recipe of the training.
     *
     * @throws TrainingException if its file is damaged
     */
    public Recipe recipe() throws IOException {
        return RecipeFile.readStored(new RunFolder(directory).recipe());
    }

    /**
     * The predictions for the test images, which the scores were computed from.
     *
     * @throws TrainingException if their file is damaged
     */
    public List<Prediction> predictions() throws IOException {
        RunFolder files = new RunFolder(directory);
        return PredictionsFile.read(files.predictions(), ScoresFile.ofRun(files, directory.toString()));
    }
}
