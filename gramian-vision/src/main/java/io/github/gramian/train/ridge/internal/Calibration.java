package io.github.gramian.train.ridge.internal;

import static io.github.gramian.tensor.Scalars.scalar;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.model.Network;
import io.github.gramian.recipe.RidgeConfig;
import io.github.gramian.run.TrainingEvent;
import io.github.gramian.run.TrainingListener;
import io.github.gramian.run.internal.NetworkPredictions;
import io.github.gramian.tensor.Placement;
import io.github.gramian.tensor.Precision;
import io.github.gramian.tensor.Scope;
import io.github.gramian.tensor.internal.HostCopy;
import io.github.gramian.train.descriptor.internal.NetworkDescriptors;
import java.util.Locale;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Finds the factor of a classifier's scores in the softmax, which decides how sure its probabilities are. The factor is
 * positive, so it never changes which class has the largest score.
 *
 * <p>Enough validation images choose it. If there are fewer, training images that are left out one at a time choose the
 * factor of a classifier in closed form. Fewer than {@link Temperature#MIN_ROWS} images choose nothing: the scores then keep
 * the network's logit scale, and the listener receives a note.
 */
final class Calibration {

    private static final Placement FLOAT = Placement.cpu(Precision.FLOAT);

    private final Network network;
    private final RidgeConfig config;
    private final TrainingListener listener;

    Calibration(Network network, RidgeConfig config, TrainingListener listener) {
        this.network = network;
        this.config = config;
        this.listener = listener;
    }

    /** Whether there are enough validation images to choose a factor, or between two classifiers. */
    static boolean canChoose(@Nullable BatchSource validation) {
        return validation != null && validation.count() >= Temperature.MIN_ROWS;
    }

    /**
     * The factor that validation images choose for a classifier in closed form. Trained descriptors have seen the labels of
     * their own images, which would lead to overconfident probabilities.
     */
    double chosenBy(BatchSource validation, RidgeFit fit, double[] ofClass) {
        return temperature(fit.weight(), fit.bias(), validation, ofClass);
    }

    /** The factor that images which were left out in turn choose; the logit scale if there are too few of them. */
    double leftOut(RidgeFit fit, int images) {
        return images >= Temperature.MIN_ROWS
                ? fit.temperature()
                : network.config().logitScale();
    }

    /** Reports that so few images choose no factor. */
    void noteFew(int images) {
        if (images < Temperature.MIN_ROWS) {
            listener.onEvent(new TrainingEvent.Note(String.format(
                    Locale.ROOT,
                    "probabilities: not calibrated, since that needs at least %d images for training and validation and"
                            + " there are %d; they show which class is more likely, not how likely it is",
                    Temperature.MIN_ROWS,
                    images)));
        }
    }

    /** The factor that validation images choose for the trained classifier; null if there are too few of them. */
    @Nullable
    Double ofTrained(BatchSource validation, double[] ofClass) {
        if (!canChoose(validation)) {
            listener.onEvent(new TrainingEvent.Note(String.format(
                    Locale.ROOT,
                    "probabilities: those of the trained classifier are not calibrated, since that needs at least %d"
                            + " validation images and there are %d",
                    Temperature.MIN_ROWS,
                    validation.count())));
            return null;
        }
        try (Scope scope = Scope.open()) {
            Scalar scale = scalar(network.config().logitScale());
            double temperature = temperature(
                    FLOAT.place(network.classifier().weight().value()).mul(scale),
                    FLOAT.place(network.classifier().bias().value()).mul(scale),
                    validation,
                    ofClass);
            listener.onEvent(new TrainingEvent.Note(String.format(
                    Locale.ROOT,
                    "probabilities: scores of the trained classifier times %.2f, which %,d validation images chose",
                    temperature,
                    validation.count())));
            return temperature;
        }
    }

    /**
     * The best factor for scores = weight · x + bias.
     *
     * @param weight [classes, length], float
     * @param bias [classes], float
     * @param ofClass weight of each class
     */
    private double temperature(Tensor weight, Tensor bias, BatchSource validation, double[] ofClass) {
        NetworkDescriptors images = new NetworkDescriptors(network, validation, NetworkPredictions.BATCH);
        double[] scores = new double[Math.multiplyExact(validation.count(), network.classes())];
        for (int from = 0; from < validation.count(); from += config.blockRows()) {
            try (Scope scope = Scope.open()) {
                int to = Math.min(validation.count(), from + config.blockRows());
                Tensor rows = FLOAT.place(images.rows(from, to));
                float[] block = HostCopy.floats(torch.addmm(bias, rows, weight.t()));
                for (int i = 0; i < block.length; i++) {
                    scores[from * network.classes() + i] = block[i];
                }
            }
        }
        double[] ofRow = HeldOut.weights(validation.labels(), ofClass);
        return new Temperature(scores, validation.labels(), network.classes(), ofRow).best();
    }
}
