package examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.eval.Prediction;
import io.github.gramian.fixture.SmallImages;
import io.github.gramian.fixture.SmallRuns;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import io.github.gramian.train.TrainingStopped;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training and prediction of the README, docs/java-tutorial.md and docs/java.md, on drawn textures. */
class TrainAndPredictTest {

    @TempDir
    Path folder;

    private static String printed(Example example) throws IOException {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream here = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(here);
            example.run();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private interface Example {
        void run() throws IOException;
    }

    @Test
    void the_program_of_readme_and_tutorial_trains_and_predicts_a_new_photograph() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        Files.move(drawn.images(), folder.resolve("photos"));
        Files.move(drawn.weights(), folder.resolve("resnet50.safetensors"));
        SmallImages.draw(folder.resolve("new.png"), "rows", 1000);
        assertThat(printed(() -> Classify.main(new String[] {folder.toString()})))
                .containsPattern("test accuracy (0[.][0-9]+|1[.]0)\\s+rows [01][.]");
    }

    @Test
    void a_training_that_is_stopped_continues_where_it_was() throws IOException {
        SmallRuns drawn = SmallRuns.in(folder);
        String output = printed(() -> stopAndContinue(drawn.images(), drawn.weights()));
        assertThat(output).contains("gramian resume").containsPattern("test accuracy [01][.]");
    }

    private void stopAndContinue(Path photos, Path weights) throws IOException {
        Path folder = this.folder.resolve("runs/second");
        Path cache = this.folder.resolve("cache");
        Recipe recipe = RecipeFile.parse("""
                network: {branches: [{tap: res5b, size: 64, convolution: 16}]}
                stage1: {epochs: 5, batch: 8}
                """, List.of("data.images=" + photos, "backbone.weights=" + weights));
        AtomicBoolean stop = new AtomicBoolean();
        TrainingOptions options = TrainingOptions.defaults(cache).stoppedBy(stop::get);
        try {
            Training.of(recipe).with(options).onEpoch(epoch -> stop.set(true)).into(folder);
        } catch (TrainingStopped e) {
            System.out.println(e.getMessage());
        }
        stop.set(false);
        Run run = Training.of(recipe).with(options).into(folder);
        System.out.println("test accuracy " + run.scores().accuracy());

        Run finished = Run.open(folder);
        System.out.println(finished.recipe().seed() + " " + finished.validationAccuracy());
        for (Prediction prediction : finished.predictions()) {
            System.out.println(prediction.image() + " " + prediction.label());
        }
    }
}
