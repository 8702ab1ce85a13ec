package io.github.gramian.train;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.model.config.internal.ConfigJson;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.SealedJson;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.stage.internal.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What validation images have selected. It is all that the final retraining needs to know.
 *
 * @param stage1 epochs of stage 1 to train
 * @param stage2 epochs of stage 2 to train
 * @param tuned whether the backbone is trained
 * @param classifier the classifier that was selected, with its validation accuracy
 * @param fineTuning how the fine-tuned model compares with the frozen one; null if they were not compared
 * @param novelty novelty scores of the validation images by the selected model, if it has learned by gradient descent; otherwise
 *     empty
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not compared
record ModelSelection(
        Stage.Epochs stage1,
        Stage.Epochs stage2,
        boolean tuned,
        ClassifierFit.Applied classifier,
        TrainingEvent.@Nullable FineTuning fineTuning,
        float[] novelty) {

    private static final float[] NONE = {};

    /**
     * A model that can be selected.
     *
     * @param stage1 epochs of stage 1 that have led to it
     * @param stage2 epochs of stage 2 that have led to it
     * @param classifier its classifier, with its validation accuracy
     * @param validationLoss computed only if two models have the same accuracy: it takes a pass over the images
     */
    record Candidate(
            Stage.Epochs stage1, Stage.Epochs stage2, ClassifierFit.Applied classifier, DoubleSupplier validationLoss) {

        private double accuracy() {
            return Objects.requireNonNull(
                    classifier.validationAccuracy(), "without validation images nothing is compared");
        }
    }

    /** The only model that there is. */
    static ModelSelection only(
            Stage.Epochs stage1, Stage.Epochs stage2, boolean tuned, ClassifierFit.Applied classifier) {
        return new ModelSelection(stage1, stage2, tuned, classifier, null, NONE);
    }

    /**
     * Selects the model with the higher validation accuracy. If both have the same accuracy, the smaller validation loss
     * decides; if that is the same as well, the frozen model is selected.
     *
     * @param images number of validation images
     */
    static ModelSelection choose(Candidate frozen, Candidate tuned, int images) {
        double before = frozen.accuracy();
        double after = tuned.accuracy();
        boolean better = after > before
                || (after == before
                        && frozen.validationLoss().getAsDouble()
                                > tuned.validationLoss().getAsDouble());
        Candidate selected = better ? tuned : frozen;
        return new ModelSelection(
                selected.stage1(),
                selected.stage2(),
                better,
                selected.classifier(),
                new TrainingEvent.FineTuning(before, after, images, better),
                NONE);
    }

    /** The same with a classifier that was fitted again. */
    ModelSelection withClassifier(ClassifierFit.Applied again) {
        return new ModelSelection(stage1, stage2, tuned, again, fineTuning, novelty);
    }

    /** The same with novelty scores of the validation images. */
    ModelSelection withNovelty(float[] scores) {
        return new ModelSelection(stage1, stage2, tuned, classifier, fineTuning, scores);
    }

    /** Whether gradient descent has changed the selected model. */
    boolean learned() {
        return stage1.count() + stage2.count() > 0;
    }

    /**
     * Whether the selected model is trained again, on training and validation images together. A frozen network whose
     * classifier is in closed form is not: the classifier is fitted to all images anyway, and training the rest of the head on
     * them as well has changed nothing that could be measured (docs/decisions/0019).
     */
    boolean needsFinalTraining(Recipe recipe, int validationImages) {
        return recipe.last() == Recipe.Final.ALL
                && validationImages > 0
                && learned()
                && (tuned || !classifier.fitted());
    }

    /**
     * A selection as a run directory stores it, so that a resumed training does not select again.
     *
     * @param selection what was selected
     * @param events lines of the event log at that time
     * @param inputs hashes of the inputs of the run, by name
     */
    record SelectionFile(@JsonUnwrapped ModelSelection selection, int events, Map<String, String> inputs) {

        SelectionFile {
            inputs = Collections.unmodifiableMap(new TreeMap<>(inputs));
        }

        void write(RunFolder directory) throws IOException {
            SealedJson.write(directory.choice(), ConfigJson.toTree(this));
        }

        /** The selection of an earlier training in this directory. */
        static Optional<SelectionFile> read(RunFolder directory) throws IOException {
            if (!Files.exists(directory.choice())) {
                return Optional.empty();
            }
            ObjectNode tree = SealedJson.read(directory.choice());
            tree.remove("crc32c");
            return Optional.of(ConfigJson.fromTree(tree, SelectionFile.class));
        }

        /** Refuses a selection that was made with other inputs. */
        void requireInputs(RunFolder directory, Map<String, String> now) {
            if (!inputs.equals(now)) {
                throw new TrainingException(directory.choice()
                        + " was made with other inputs; put them back as they were, or"
                        + " start a new run with another --out");
            }
        }
    }
}
