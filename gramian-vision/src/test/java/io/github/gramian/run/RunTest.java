package io.github.gramian.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTest {

    @TempDir
    private static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    @Test
    void a_finished_run_is_opened_with_its_recipe_scores_model_and_predictions() throws IOException {
        Recipe recipe = runs.recipe("stage1.epochs=0");
        Run trained = runs.run(recipe, "finished");
        Run opened = Run.open(runs.path("finished"));
        assertThat(opened.directory()).isEqualTo(runs.path("finished"));
        assertThat(opened.recipe()).isEqualTo(recipe);
        assertThat(opened.scores().accuracy()).isEqualTo(trained.scores().accuracy());
        assertThat(opened.validationAccuracy()).isEqualTo(trained.validationAccuracy());
        assertThat(opened.model()).isRegularFile();
        assertThat(opened.predictions()).hasSize(opened.scores().images());
        double correct =
                opened.predictions().stream().filter(Prediction::correct).count();
        assertThat(correct / opened.predictions().size())
                .isEqualTo(opened.scores().accuracy());
    }

    @Test
    void an_unfinished_run_is_refused_with_the_command_that_finishes_it() {
        Recipe recipe = runs.recipe();
        TrainingOptions cancelled = TrainingOptions.defaults(runs.cache()).stoppedBy(() -> true);
        assertThatThrownBy(() -> runs.run(recipe, "stopped", cancelled)).isInstanceOf(TrainingStopped.class);
        assertThatThrownBy(() -> Run.open(runs.path("stopped")))
                .isInstanceOf(UnfinishedRunException.class)
                .hasMessageContaining("gramian resume " + runs.path("stopped"));
    }

    @Test
    void a_directory_without_a_run_is_refused() {
        assertThatThrownBy(() -> Run.open(folder))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("is not a run");
    }

    @Test
    void damaged_scores_are_refused() throws IOException {
        Run trained = runs.run(runs.recipe("stage1.epochs=0", "seed=9"), "damaged");
        Path scores = trained.directory().resolve("scores.json");
        Files.writeString(scores, Files.readString(scores).replaceFirst("\"accuracy\":[0-9.]+", "\"accuracy\":1.0"));
        assertThatThrownBy(() -> Run.open(trained.directory()))
                .isInstanceOf(TrainingException.class)
                .hasMessageContaining("scores.json");
    }
}
