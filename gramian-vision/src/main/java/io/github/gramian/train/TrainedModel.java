package io.github.gramian.train;

import io.github.gramian.certainty.internal.Novelty;
import io.github.gramian.dataset.Sample;
import io.github.gramian.dataset.Split;
import io.github.gramian.eval.EvaluationProtocol;
import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.image.internal.LoaderSettings;
import io.github.gramian.model.Network;
import io.github.gramian.model.internal.BatchPredictor;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.internal.CancellationToken;
import io.github.gramian.run.internal.ModelEvaluation;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.internal.HostCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A network with its final weights, and the features that it classifies: cached ones of the frozen backbone, or those of a
 * backbone that was trained with it. The network belongs to the caller; a trained backbone is closed with the model.
 *
 * @param backbone null if the frozen backbone is part of the model
 */
record TrainedModel(
        Network network, FeatureSet data, @Nullable TrainableBackbone backbone) implements AutoCloseable {

    /** Whether stage 2 has trained the backbone. */
    boolean isTuned() {
        return backbone != null;
    }

    /** Images as this model sees them. */
    BatchSource images(Split... splits) {
        return backbone == null ? data.cached(splits) : backbone.images(splits);
    }

    /** Images that a classifier in closed form is fitted to: with the recipe's copies, unless the backbone was trained. */
    BatchSource fitting(Split... splits) {
        return backbone == null ? data.fitting(splits) : data.grouped(backbone.images(splits), splits);
    }

    /** The weights of the backbone that training has changed, by name. */
    Map<String, Tensor> learned() {
        return backbone == null ? Map.of() : backbone.weights();
    }

    /**
     * Predicts and scores the test images. Writes nothing.
     *
     * @param file the saved model; predicts the images itself if its backbone was trained, so that its features are not cached
     */
    ModelEvaluation evaluate(Path file, EvaluationProtocol protocol, CancellationToken cancellation)
            throws IOException {
        List<Prediction> answers = isTuned() ? fromFiles(file, cancellation) : fromCache(novelty(file), cancellation);
        List<Sample> samples = data.samples(Split.TEST);
        List<Prediction> predictions = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            predictions.add(answers.get(i)
                    .withImage(samples.get(i).path())
                    .withTruth(samples.get(i).label()));
        }
        return ModelEvaluation.of(
                "test", data.dataset(), predictions, data.dataset().classes(), protocol, network.descriptorLength());
    }

    private static Optional<Novelty> novelty(Path model) throws IOException {
        try (StoredModel file = StoredModel.open(model)) {
            return file.reference().novelty();
        }
    }

    private List<Prediction> fromCache(Optional<Novelty> reference, CancellationToken cancellation) {
        List<String> classes = data.dataset().classes();
        BatchSource test = cancellation.checking(images(Split.TEST));
        List<Double> novelties = new ArrayList<>();
        NetworkPredictions evaluation = NetworkPredictions.of(
                network,
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

    private static void addNovelties(Novelty reference, Tensor descriptors, int views, List<Double> to) {
        for (float[] descriptor : HostCopy.rows(FeatureMaps.fuseViews(descriptors, views))) {
            to.add(reference.pValue(descriptor));
        }
    }

    private List<Prediction> fromFiles(Path model, CancellationToken cancellation) throws IOException {
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

    @Override
    public void close() {
        if (backbone != null) {
            backbone.close();
        }
    }
}
