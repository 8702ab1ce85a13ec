package io.github.gramian.run.internal;

import io.github.gramian.eval.Prediction;
import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.feature.internal.FeatureMaps;
import io.github.gramian.layer.SoftmaxCrossEntropy;
import io.github.gramian.model.Network;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.Seed;
import io.github.gramian.tensor.internal.HostCopy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.bytedeco.pytorch.Tensor;

/**
 * Predictions of a network for some images.
 *
 * @param probabilities of each image, its views fused by their mean
 * @param loss mean cross-entropy over views
 * @param accuracy fraction of images whose most probable class is correct
 */
@SuppressWarnings("ArrayRecordComponent") // short-lived, not a value to compare
public record NetworkPredictions(float[][] probabilities, double loss, double accuracy) {

    /** Images at once where nothing is learned from them; recipes are checked against the memory that a batch takes. */
    public static final int BATCH = 32;

    public static NetworkPredictions of(Network network, BatchSource source, int batchSize) {
        return of(network, source, source.inOrder(), batchSize);
    }

    /** Of some of the images, at least one. */
    public static NetworkPredictions of(Network network, BatchSource source, int[] images, int batchSize) {
        return of(network, source, images, batchSize, views -> {});
    }

    /**
     * The same with the descriptors.
     *
     * @param descriptors receives those of each batch, a row per view
     */
    public static NetworkPredictions of(
            Network network, BatchSource source, int[] images, int batchSize, Consumer<Tensor> descriptors) {
        List<float[]> all = new ArrayList<>();
        int[] labels = source.labels();
        SoftmaxCrossEntropy entropy =
                new SoftmaxCrossEntropy(0, network.config().logitScale());
        double loss = 0;
        int right = 0;
        try (BatchSource.Stream batches = source.open(images, batchSize, new Seed(0))) {
            while (batches.hasNext()) {
                try (Scope scope = Scope.open()) {
                    BatchSource.Batch batch = batches.next();
                    Tensor described = network.describe(batch.maps());
                    descriptors.accept(described);
                    Tensor scores = network.classify(described);
                    SoftmaxCrossEntropy.Result result = entropy.of(
                            scores, HostCopy.labels(rowLabels(batch, labels, source.views()), network.placement()));
                    loss += result.loss().item_double() * batch.images().length;
                    float[][] rows = HostCopy.rows(FeatureMaps.fuseViews(result.probabilities(), source.views()));
                    for (int i = 0; i < rows.length; i++) {
                        right += Prediction.argmax(rows[i]) == labels[batch.images()[i]] ? 1 : 0;
                        all.add(rows[i]);
                    }
                }
            }
        }
        int count = images.length;
        return new NetworkPredictions(all.toArray(float[][]::new), loss / count, (double) right / count);
    }

    /** The probability of each image's class. */
    public float[] trueProbabilities(int[] labels) {
        float[] truths = new float[labels.length];
        for (int i = 0; i < truths.length; i++) {
            truths[i] = probabilities[i][labels[i]];
        }
        return truths;
    }

    /** Of an accuracy on a number of images: a smaller difference may be chance. */
    public static double standardError(double accuracy, int images) {
        return Math.sqrt(accuracy * (1 - accuracy) / images);
    }

    /** The label of every row of a batch: each image's, once a view. */
    public static int[] rowLabels(BatchSource.Batch batch, int[] labels, int views) {
        int[] rows = new int[batch.images().length * views];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = labels[batch.images()[i / views]];
        }
        return rows;
    }
}
