package examples;

import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Predictor;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.run.Run;
import io.github.gramian.train.Training;
import java.io.IOException;
import java.nio.file.Path;

/** Trains on photographs and predicts the class of a new one: {@code Classify FOLDER}. */
public final class Classify {

    private Classify() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Path photos = folder.resolve("photos"); // one subdirectory per class
        Path weights = folder.resolve("resnet50.safetensors");
        Run run = Training.of(Recipe.standard().on(photos, weights)).into(folder.resolve("runs/first"));
        System.out.println("test accuracy " + run.scores().accuracy());

        try (Predictor predictor = Predictor.load(run.model())) { // may be shared by many threads
            Prediction prediction = predictor.predict(folder.resolve("new.png"));
            System.out.println(prediction.label() + " " + prediction.confidence());
        }
    }
}
