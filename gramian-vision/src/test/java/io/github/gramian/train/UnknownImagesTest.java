package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.model.Predictor;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import io.github.gramian.tensor.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every training stores a reference of its images. */
class UnknownImagesTest {

    @TempDir
    static Path folder;

    private static SmallRuns runs = SmallRuns.existing(Path.of(""));

    @BeforeAll
    static void draw() throws IOException {
        runs = SmallRuns.in(folder);
    }

    private static Novelty reference(Run run) throws IOException {
        try (StoredModel model = StoredModel.open(new RunFolder(run.directory()).model())) {
            return model.reference().novelty().orElseThrow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage1.epochs=0", "refit=never"})
    void the_scores_of_a_run_and_its_model_give_the_same_novelty(String setting) throws IOException {
        Run run = runs.run(runs.recipe(setting), "novelty-" + setting.replace('=', '-'));
        RunFolder files = new RunFolder(run.directory());
        List<Prediction> stored = PredictionsFile.read(files.predictions(), ScoresFile.read(files.scores()));
        // Features from the cache may be rounded, which moves an image past a few others at most.
        double tolerance = 0.1 + 1.0 / reference(run).calibrationCount();
        try (Predictor predictor = Predictor.load(files.model())) {
            for (Prediction one : stored) {
                double novelty = predictor
                        .predict(runs.images().resolve(one.image()))
                        .novelty()
                        .orElseThrow();
                assertThat(novelty).isBetween(0.0, 1.0);
                assertThat(Math.abs(novelty - one.novelty().orElseThrow())).isLessThan(tolerance);
            }
        }
    }

    @Test
    void in_closed_form_every_image_calibrates() throws IOException {
        Run run = runs.run(runs.recipe("stage1.epochs=0"), "closed");
        assertThat(reference(run).calibrationCount()).isEqualTo(3 * SmallRuns.TRAIN);
    }

    /** So the p-values of the validation images are 2, 3, … n + 1 over n + 1: each counts itself and those above it. */
    @ParameterizedTest
    @ValueSource(strings = {"refit=never", "refit=always"})
    void after_gradient_descent_the_validation_images_calibrate(String setting) throws IOException {
        Recipe recipe = runs.recipe(setting);
        Run run = runs.run(recipe, "validation-" + setting.replace('=', '-'));
        Dataset dataset = recipe.data().open(new Seed(recipe.seed()));
        List<Double> found = new ArrayList<>();
        try (Predictor predictor = Predictor.load(new RunFolder(run.directory()).model())) {
            for (Sample sample : dataset.samples(Split.VALIDATION)) {
                found.add(predictor.predict(dataset.file(sample)).novelty().orElseThrow());
            }
        }
        int n = found.size();
        assertThat(reference(run).calibrationCount()).isEqualTo(n);
        Collections.sort(found);
        for (int i = 0; i < n; i++) {
            assertThat(found.get(i)).isCloseTo((i + 2.0) / (n + 1), within(1.5 / (n + 1)));
        }
    }

    /** The final retraining has seen all images, so the model before it scores the validation images. */
    @Test
    void a_final_retraining_keeps_the_scores_that_the_validation_images_had_before_it() throws IOException {
        float[] before =
                reference(runs.run(runs.recipe("refit=never"), "before")).calibration();
        float[] after = reference(runs.run(runs.recipe("refit=never", "final=all"), "after"))
                .calibration();
        assertThat(after).containsExactly(before);
    }

    @Test
    void without_validation_images_gradient_descent_leaves_no_novelty_and_says_so() throws IOException {
        List<String> notes = new ArrayList<>();
        Run run = runs.run(
                runs.recipe("refit=never", "data.validation=0"),
                "none",
                TrainingOptions.defaults(runs.cache()).withListener(event -> notes.add(event.toString())));
        try (StoredModel model = StoredModel.open(new RunFolder(run.directory()).model())) {
            assertThat(model.reference().novelty()).isEmpty();
        }
        assertThat(notes)
                .anyMatch(note -> note.contains("the model has no novelty: no image was left to calibrate it"));
    }

    @Test
    void a_single_class_gives_a_model_that_computes_novelty() throws IOException {
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        for (int i = 0; i < SmallRuns.TRAIN + SmallRuns.TEST; i++) {
            lines.add("rows/" + i + ".png,rows," + (i < SmallRuns.TRAIN ? "train" : "test"));
        }
        Path one = runs.images().resolve("one.csv");
        Files.write(one, lines);
        Run run = runs.run(runs.recipe("data.images='" + one + "'", "stage1.epochs=0"), "one");
        assertThat(reference(run).calibration()).hasSize(SmallRuns.TRAIN);
        try (Predictor predictor = Predictor.load(new RunFolder(run.directory()).model())) {
            Prediction other = predictor.predict(runs.images().resolve("checks/0.png"));
            assertThat(other.label()).isEqualTo("rows");
            assertThat(other.novelty()).isPresent();
        }
    }
}
