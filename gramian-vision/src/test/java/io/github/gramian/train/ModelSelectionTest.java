package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingException;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.train.ModelSelection.SelectionFile;
import io.github.gramian.train.ridge.internal.ClassifierFit;
import io.github.gramian.train.stage.internal.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A selection is a function of validation scores: nothing is trained here. */
class ModelSelectionTest {

    private static final Stage.Epochs FIRST = new Stage.Epochs(2, List.of(1.0, 1.0));
    private static final Stage.Epochs SECOND = new Stage.Epochs(1, List.of(1.0));

    private static ClassifierFit.Applied trained(@Nullable Double accuracy) {
        return new ClassifierFit.Applied(null, null, accuracy, null);
    }

    private static ClassifierFit.Applied closedForm(double accuracy) {
        return new ClassifierFit.Applied(0.1, null, accuracy, null);
    }

    private static ModelSelection.Candidate frozen(double accuracy, double loss) {
        return new ModelSelection.Candidate(FIRST, Stage.Epochs.NONE, trained(accuracy), () -> loss);
    }

    private static ModelSelection.Candidate tuned(double accuracy, double loss) {
        return new ModelSelection.Candidate(FIRST, SECOND, trained(accuracy), () -> loss);
    }

    private static Recipe recipe(String last) {
        return RecipeFile.parse("", List.of("final=" + last));
    }

    @ParameterizedTest
    @CsvSource({
        "0.8, 0.5, 0.9, 0.7, true", // the accuracy decides, whatever the loss
        "0.9, 0.7, 0.8, 0.5, false",
        "0.8, 0.5, 0.8, 0.4, true", // the same accuracy: the loss decides
        "0.8, 0.5, 0.8, 0.6, false",
        "0.8, 0.5, 0.8, 0.5, false" // everything the same: the frozen model
    })
    void the_model_with_better_validation_scores_is_selected(
            double frozenAccuracy, double frozenLoss, double tunedAccuracy, double tunedLoss, boolean selectsTuned) {
        ModelSelection selection =
                ModelSelection.choose(frozen(frozenAccuracy, frozenLoss), tuned(tunedAccuracy, tunedLoss), 20);
        assertThat(selection.tuned()).isEqualTo(selectsTuned);
        assertThat(selection.stage1()).isEqualTo(FIRST);
        assertThat(selection.stage2()).isEqualTo(selectsTuned ? SECOND : Stage.Epochs.NONE);
        assertThat(selection.classifier().validationAccuracy())
                .isEqualTo(selectsTuned ? tunedAccuracy : frozenAccuracy);
        assertThat(selection.fineTuning())
                .isEqualTo(new TrainingEvent.FineTuning(frozenAccuracy, tunedAccuracy, 20, selectsTuned));
    }

    @Test
    void losses_are_computed_only_if_accuracies_are_equal() {
        DoubleSupplier never = () -> {
            throw new AssertionError("a pass over the images for nothing");
        };
        ModelSelection.Candidate frozen = new ModelSelection.Candidate(FIRST, Stage.Epochs.NONE, trained(0.7), never);
        ModelSelection.Candidate tuned = new ModelSelection.Candidate(FIRST, SECOND, trained(0.8), never);
        assertThat(ModelSelection.choose(frozen, tuned, 20).tuned()).isTrue();
    }

    @Test
    void models_without_validation_accuracy_are_not_compared() {
        ModelSelection.Candidate unjudged =
                new ModelSelection.Candidate(FIRST, Stage.Epochs.NONE, trained(null), () -> 0);
        assertThatThrownBy(() -> ModelSelection.choose(unjudged, tuned(0.8, 0.5), 0))
                .isInstanceOf(NullPointerException.class);
    }

    @Test
    void a_final_retraining_follows_if_the_recipe_wants_it_and_something_is_trained() {
        ModelSelection head = ModelSelection.only(FIRST, Stage.Epochs.NONE, false, trained(0.8));
        ModelSelection fitted = ModelSelection.only(FIRST, Stage.Epochs.NONE, false, closedForm(0.8));
        ModelSelection backbone = ModelSelection.only(FIRST, SECOND, true, closedForm(0.8));
        ModelSelection start = ModelSelection.only(Stage.Epochs.NONE, Stage.Epochs.NONE, false, trained(0.8));
        assertThat(head.needsFinalTraining(recipe("all"), 6)).isTrue();
        assertThat(backbone.needsFinalTraining(recipe("all"), 6)).isTrue();
        assertThat(head.needsFinalTraining(recipe("training"), 6)).isFalse();
        assertThat(head.needsFinalTraining(recipe("all"), 0)).isFalse();
        assertThat(fitted.needsFinalTraining(recipe("all"), 6)).isFalse();
        assertThat(start.needsFinalTraining(recipe("all"), 6)).isFalse();
    }

    @Test
    void a_stored_selection_is_read_as_it_was_written(@TempDir Path folder) throws IOException {
        RunFolder directory = new RunFolder(folder);
        ModelSelection selection =
                ModelSelection.choose(frozen(0.8, 0.5), tuned(0.9, 0.4), 20).withNovelty(new float[] {1.5f, 2});
        SelectionFile written = new SelectionFile(selection, 7, Map.of("recipe", "a", "images", "b"));
        Files.createDirectories(directory.choice().getParent());
        written.write(directory);
        assertThat(SelectionFile.read(directory))
                .get()
                .usingRecursiveComparison()
                .isEqualTo(written);
        assertThatThrownBy(() -> written.requireInputs(directory, Map.of("recipe", "other", "images", "b")))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("other inputs");
    }
}
