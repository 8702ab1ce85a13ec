package io.github.gramian.train;

import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.model.novelty.internal.NoveltyReference;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.ModelEvaluation;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;

/** Evaluates a trained model on the test images. Writes nothing. */
final class Evaluator {

    private final FeatureSet data;
    private final CancellationToken cancellation;

    Evaluator(FeatureSet data, CancellationToken cancellation) {
        this.data = data;
        this.cancellation = cancellation;
    }

    /**
     * Predicts and scores the test images.
     *
     * @param file the saved model; predicts the images itself if its backbone was trained, so that its features are not cached
     */
    ModelEvaluation run(TrainedModel model, Path file, EvaluationProtocol protocol) throws IOException {
        List<Prediction> answers = model.isTuned() ? fromFiles(file) : fromCache(model, novelty(file));
        List<Sample> samples = data.samples(Split.TEST);
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            predictions.add(answers.get(i)
                    .withImage(samples.get(i).path())
                    .withTruth(samples.get(i).label()));
        }
        return ModelEvaluation.of(
                "test",
                data.dataset(),
                predictions,
                data.dataset().classes(),
                protocol,
                model.network().descriptorLength());
    }

    private static Optional<NoveltyReference> novelty(Path model) throws IOException {
        try (StoredModel file = StoredModel.open(model)) {
            return file.reference().novelty();
        }
    }

    private List<Prediction> fromCache(TrainedModel model, Optional<NoveltyReference> reference) {
        List<String> classes = data.dataset().classes();
        BatchSource test = cancellation.checking(model.images(Split.TEST));
        List<Double> novelties = new ArrayList<>();
        NetworkPredictions evaluation = NetworkPredictions.of(
                model.network(),
                test,
                test.inOrder(),
                NetworkPredictions.BATCH,
                views -> reference.ifPresent(known -> addNovelties(known, views, test.views(), novelties)));
        List<Prediction> predictions = new ArrayList<>();
        for (float[] row : evaluation.probabilities()) {
            Prediction prediction = Prediction.of("", classes, row);
            predictions.add(
                    novelties.isEmpty() ? prediction : prediction.withNovelty(novelties.get(predictions.size())));
        }
        return predictions;
    }

    private static void addNovelties(NoveltyReference reference, Tensor descriptors, int views, List<Double> to) {
        for (float[] descriptor : HostCopy.rows(FeatureMaps.fuseViews(descriptors, views))) {
            to.add(reference.novelty(descriptor));
        }
    }

    private List<Prediction> fromFiles(Path model) throws IOException {
        List<Path> files = data.samples(Split.TEST).stream()
                .map(sample -> data.dataset().file(sample))
                .toList();
        List<Prediction> answers = new ArrayList<>();
        try (BatchPredictor predictor = BatchPredictor.load(model)) {
            predictor.predict(files, LoaderSettings.defaults(NetworkPredictions.BATCH), answer -> {
                cancellation.check();
                answers.add(answer);
            });
        }
        return answers;
    }
}
