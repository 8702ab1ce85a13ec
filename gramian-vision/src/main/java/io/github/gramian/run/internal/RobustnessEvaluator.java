package io.github.gramian.run.internal;

import io.github.gramian.dataset.Dataset;
import io.github.gramian.dataset.Sample;
import io.github.gramian.eval.Prediction;
import io.github.gramian.eval.internal.Robustness;
import io.github.gramian.image.Crop;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Evaluates a model on corrupted copies of images that were evaluated clean. */
public final class RobustnessEvaluator {

    private final BatchPredictor predictor;
    private final @Nullable Crop crop;
    private final int batch;

    /**
     * An evaluator of a model.
     *
     * @param crop what is cut from an image before it is corrupted; null for what the model was trained with
     * @param batch images at once
     */
    public RobustnessEvaluator(BatchPredictor predictor, @Nullable Crop crop, int batch) {
        this.predictor = predictor;
        this.crop = crop;
        this.batch = batch;
    }

    /**
     * Corrupts the views of each image, after resizing and before normalisation.
     *
     * @param clean the evaluation of the clean images
     * @param progress is called with the number of corrupted images done
     */
    public Robustness run(Dataset dataset, ModelEvaluation clean, List<Corruption> corruptions, IntConsumer progress) {
        Map<String, Sample> samples =
                dataset.samples().stream().collect(Collectors.toMap(Sample::path, Function.identity()));
        List<Prediction> truths = clean.predictions();
        List<Path> files = new ArrayList<>();
        for (Prediction truth : truths) {
            Sample sample = samples.get(truth.image());
            if (sample == null) {
                throw new IllegalArgumentException(truth.image() + " is not an image of " + dataset.root());
            }
            files.add(dataset.file(sample));
        }
        List<Robustness.Cell> cells = new ArrayList<>();
        for (Corruption corruption : corruptions) {
            int done = cells.size() * files.size();
            double accuracy = accuracy(truths, files, corruption, count -> progress.accept(done + count));
            cells.add(new Robustness.Cell(corruption.type().key(), corruption.severity(), accuracy));
        }
        return new Robustness(files.size(), clean.scores().accuracy(), cells);
    }

    /** An image for which the network has no answer is not correct. */
    private double accuracy(List<Prediction> truths, List<Path> files, Corruption corruption, IntConsumer progress) {
        List<Prediction> answers = new ArrayList<>();
        try (BatchPredictor corrupting = predictor.withCorruption(crop, corruption)) {
            corrupting.predict(files, LoaderSettings.defaults(batch), answer -> {
                answers.add(answer);
                progress.accept(answers.size());
            });
        }
        int correct = 0;
        for (int i = 0; i < answers.size(); i++) {
            Prediction answer = answers.get(i);
            if (answer.rejection().isEmpty()
                    && answer.predicted() == truths.get(i).truth()) {
                correct++;
            }
        }
        return (double) correct / answers.size();
    }
}
