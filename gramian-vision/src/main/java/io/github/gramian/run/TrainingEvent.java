package io.github.gramian.run;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events of a training, sent as they happen. */
public sealed interface TrainingEvent {

    /** Something worth a line. */
    record Note(String text) implements TrainingEvent {}

    /** Features of frozen layers are being computed; images that are in the cache do not count. */
    record Features(long done, long total) implements TrainingEvent {}

    /**
     * A batch was trained on.
     *
     * @param batch number within the epoch, from 1
     * @param loss mean over the epoch so far
     * @param accuracy on training images over the epoch so far
     * @param secondsLeft until the end of the stage, if no epoch is saved
     */
    record Step(
            int stage,
            int epoch,
            int epochs,
            int batch,
            int batches,
            double loss,
            double accuracy,
            double imagesPerSecond,
            double secondsLeft)
            implements TrainingEvent {}

    /**
     * An epoch is over. Epoch 0 is the start.
     *
     * @param rate factor of the learning rates in its last step
     * @param trainLoss null for epoch 0
     * @param validationLoss null without validation images
     * @param best whether it is the best so far
     */
    record Epoch(
            int stage,
            int epoch,
            long step,
            double rate,
            @Nullable Double trainLoss,
            @Nullable Double trainAccuracy,
            @Nullable Double validationLoss,
            @Nullable Double validationAccuracy,
            double imagesPerSecond,
            double seconds,
            boolean best,
            Health health)
            implements TrainingEvent {}

    /**
     * The classifier was fitted in closed form.
     *
     * @param heldOutAccuracy on images that were not fitted to: training images left out in turn, or validation images
     * @param validationAccuracy null without validation images
     * @param kept whether this classifier stays
     */
    record Ridge(
            int stage,
            double lambda,
            double heldOutAccuracy,
            double temperature,
            List<Trial> table,
            @Nullable Double validationAccuracy,
            boolean kept)
            implements TrainingEvent {

        /** One penalty that was tried. */
        public record Trial(double lambda, double accuracy, double logLoss) {}
    }
}
