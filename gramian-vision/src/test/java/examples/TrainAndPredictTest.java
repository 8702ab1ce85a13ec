package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Predictor;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.train.SmallRuns;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training and prediction of the README, on drawn textures. */
class TrainAndPredictTest {

    @TempDir
    Path folder;

    @Test
    void a_model_is_trained_in_a_few_lines_and_used_in_fewer() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Path photos = drawn.images();
        Path weights = drawn.weights();
        Path run = folder.resolve("runs/first");
        Path cache = folder.resolve("cache");
        List<String> lines = new ArrayList<>();
        train(photos, weights, run, cache, lines);
        assertThat(lines).isNotEmpty();
        assertThat(predict(run.resolve("model.gramian"), photos.resolve("rows/9.png")))
                .startsWith("rows ");
    }

    private static void train(Path photos, Path weights, Path run, Path cache, List<String> lines) throws IOException {
        // README: train
        Recipe recipe = RecipeFile.parse("""
                network: {branches: [{tap: res5b, size: 64, convolution: 16}]}
                stage1: {epochs: 5, batch: 8}
                """, List.of("data.images=" + photos, "backbone.weights=" + weights));
        TrainingOptions options = TrainingOptions.defaults(cache).withListener(event -> {
            if (event instanceof TrainingEvent.Epoch epoch) {
                lines.add("epoch " + epoch.epoch() + ": validation " + epoch.validationAccuracy());
            }
        });
        Training.Outcome outcome = Training.run(recipe, run, options);
        lines.add("test accuracy " + outcome.scores().accuracy());
        // README: end
    }

    private static String predict(Path model, Path photo) throws IOException {
        // README: predict
        try (Predictor predictor = Predictor.load(model)) {
            Prediction answer = predictor.predict(photo);
            return answer.label() + " " + answer.confidence();
        }
        // README: end
    }
}
