package io.github.gramian.train;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Predictor;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.run.Run;
import io.github.gramian.run.internal.PredictionsFile;
import io.github.gramian.run.internal.RunFolder;
import io.github.gramian.run.internal.ScoresFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

    private static NoveltyReference reference(Run run) throws IOException {
        try (StoredModel model = StoredModel.open(new RunFolder(run.directory()).model())) {
            return model.reference().novelty().orElseThrow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stage1.epochs=0", "refit=never"})
    void the_scores_of_a_run_and_its_model_give_the_same_novelty(String setting) throws IOException {
        Run run = runs.run(runs.recipe(setting), "novelty-" + setting.replace('=', '-'));
        assertThat(reference(run).calibration()).hasSize(3 * SmallRuns.TRAIN);
        RunFolder files = new RunFolder(run.directory());
        List<Prediction> stored = PredictionsFile.read(files.predictions(), ScoresFile.read(files.scores()));
        try (Predictor predictor = Predictor.load(files.model())) {
            for (Prediction one : stored) {
                double novelty = predictor
                        .predict(runs.images().resolve(one.image()))
                        .novelty()
                        .orElseThrow();
                // Features from the cache may be rounded, which moves an image past a few others at most.
                assertThat(novelty).isBetween(0.0, 1.0);
                assertThat(Math.abs(novelty - one.novelty().orElseThrow())).isLessThan(0.1);
            }
        }
    }

    @Test
    void a_single_class_gives_a_model_that_computes_novelty() throws IOException {
        List<String> lines = new ArrayList<>(List.of("path,label,split"));
        for (int i = 0; i < SmallRuns.TRAIN + SmallRuns.TEST; i++) {
            lines.add("rows/" + i + ".png,rows," + (i < SmallRuns.TRAIN ? "train" : "test"));
        }
        Path one = runs.images().resolve("one.csv");
        Files.write(one, lines);
        Run run = runs.run(runs.recipe("data.images='" + one + "'", "refit=always"), "one");
        assertThat(reference(run).calibration()).hasSize(SmallRuns.TRAIN);
        try (Predictor predictor = Predictor.load(new RunFolder(run.directory()).model())) {
            Prediction other = predictor.predict(runs.images().resolve("checks/0.png"));
            assertThat(other.label()).isEqualTo("rows");
            assertThat(other.novelty()).isPresent();
        }
    }
}
