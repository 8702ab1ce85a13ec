package io.github.gramian.run;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.Scores;
import io.github.gramian.image.Crop;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.run.internal.ModelEvaluation;
import io.github.gramian.run.internal.ModelEvaluator;
import io.github.gramian.run.internal.NetworkPredictions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scores of a saved model on labelled images. Classes are matched by name. The scores carry an evaluation protocol: two scores
 * are comparable only if their protocols agree.
 *
 * <pre>{@code
 * Evaluation.Result result = Evaluation.of(run.model()).onNewImages().on(Dataset.of(labels, 1));
 * System.out.println(result.scores().accuracy());
 * }</pre>
 *
 * <p>A value: each method returns another evaluation.
 */
public final class Evaluation {

    private final Path model;
    private final ModelEvaluator.Settings settings;

    private Evaluation(Path model, ModelEvaluator.Settings settings) {
        this.model = model;
        this.settings = settings;
    }

    /**
     * The result.
     *
     * @param scores of the images that could be read
     * @param predictions one per image that could be read
     * @param protocol images, split, resolution, crops, backbone and hardware
     * @param rejected files that could not be read, with the reason
     * @param warnings about the meaning of the scores, such as images that training has used
     */
    public record Result(
            Scores scores,
            List<Prediction> predictions,
            EvaluationProtocol protocol,
            Map<String, String> rejected,
            List<String> warnings) {}

    /** An evaluation on the test images of a dataset, with the crops that the model was trained with. */
    public static Evaluation of(Path model) {
        return new Evaluation(
                model, new ModelEvaluator.Settings(ModelEvaluator.Part.TEST, null, NetworkPredictions.BATCH, false));
    }

    /** The same on another split. */
    public Evaluation onSplit(Split split) {
        return with(
                switch (split) {
                    case TRAIN -> ModelEvaluator.Part.TRAIN;
                    case VALIDATION -> ModelEvaluator.Part.VAL;
                    case TEST -> ModelEvaluator.Part.TEST;
                },
                settings.crop(),
                settings.withoutTwins());
    }

    /** The same on all images of the dataset, regardless of their split. */
    public Evaluation onAllImages() {
        return with(ModelEvaluator.Part.ALL, settings.crop(), settings.withoutTwins());
    }

    /** The same on all images of the dataset that training has not used, regardless of their split. */
    public Evaluation onNewImages() {
        return with(ModelEvaluator.Part.NEW, settings.crop(), settings.withoutTwins());
    }

    /** The same with another crop of each image, such as {@link Crop.FiveCrop}. */
    public Evaluation withCrop(Crop crop) {
        return with(settings.part(), crop, settings.withoutTwins());
    }

    /** The same without test images whose bytes equal an image that training has used. */
    public Evaluation withoutTwins() {
        return with(settings.part(), settings.crop(), true);
    }

    private Evaluation with(ModelEvaluator.Part part, @Nullable Crop crop, boolean withoutTwins) {
        return new Evaluation(model, new ModelEvaluator.Settings(part, crop, NetworkPredictions.BATCH, withoutTwins));
    }

    /**
     * Loads the model and evaluates it.
     *
     * @throws IllegalArgumentException if an image is of a class that the model does not know
     */
    public Result on(Dataset dataset) throws IOException {
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            ModelEvaluator.Result result = new ModelEvaluator(predictor, settings).run(dataset, done -> {});
            ModelEvaluation evaluation = result.evaluation();
            return new Result(
                    evaluation.scores(),
                    evaluation.predictions(),
                    evaluation.protocol(),
                    result.rejected(),
                    result.warnings());
        }
    }
}
