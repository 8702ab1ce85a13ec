package sample;

import io.github.gramian.backbone.Architecture;
import io.github.gramian.backbone.BackboneConfig;
import io.github.gramian.backbone.Variant;
import io.github.gramian.backbone.weights.WeightsFile;
import io.github.gramian.eval.Prediction;
import io.github.gramian.model.Predictor;
import io.github.gramian.recipe.Recipe;
import io.github.gramian.recipe.RecipeFile;
import io.github.gramian.run.Run;
import io.github.gramian.tensor.Seed;
import io.github.gramian.train.Training;
import io.github.gramian.train.TrainingOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** From a folder of images to predictions, with an aggregator of one's own: {@code Sample FOLDER}. */
public final class Sample {

    private static final int IMAGES = 12;

    private Sample() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = arguments.length > 0 ? Path.of(arguments[0]) : Files.createTempDirectory("gramian-sample");
        Path photos = folder.resolve("photos");
        for (Stripes kind : Stripes.values()) {
            for (int i = 0; i < IMAGES; i++) {
                kind.draw(photos.resolve(kind.label()).resolve(i + ".png"), i);
            }
        }
        Path directory = train(photos, folder).directory();
        Run run = Run.open(directory); // as another program would
        System.out.println("accuracy on test images " + run.scores().accuracy());

        Path photo = folder.resolve("new.png");
        Stripes.LYING.draw(photo, IMAGES);
        try (Predictor predictor = Predictor.load(run.model())) {
            Prediction prediction = predictor.predict(Files.readAllBytes(photo)); // as an upload
            System.out.println(prediction.label() + " " + prediction.confidence());
        }
    }

    /** Random weights, so that nothing is downloaded; imported ones are far better. */
    private static Run train(Path photos, Path folder) throws IOException {
        Path weights = folder.resolve("tiny.safetensors");
        WeightsFile.writeRandom(
                weights, new BackboneConfig(Architecture.RESNET18_TINY, Variant.TORCHVISION, 0), new Seed(1));
        Recipe recipe = RecipeFile.parse("""
                backbone: {precision: float}
                network:
                  branches:
                  - {tap: res3b, size: 64, convolution: 32, aggregator: {kind: custom, name: spread, settings: {}}}
                stage1: {batch: 6}
                """, List.of("data.images=" + photos, "backbone.weights=" + weights))
                .with("stage1.epochs", 3)
                .withSeed(2);
        return Training.of(recipe)
                .with(TrainingOptions.defaults(folder.resolve("cache")))
                .onEpoch(epoch -> System.out.println("epoch: " + epoch.validationAccuracy()))
                .into(folder.resolve("run"));
    }
}
