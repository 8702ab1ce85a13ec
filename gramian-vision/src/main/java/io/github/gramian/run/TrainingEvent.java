package io.github.gramian.run;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Events of a training, sent as they happen. */
public sealed interface TrainingEvent {

    /** A line for people. */
    record Note(String text) implements TrainingEvent {}

    /** Features of frozen layers are being computed; images that are in the cache do not count. */
    record Features(long done, long total) implements TrainingEvent {}

    /**
     * A batch was trained on.
     *
     * @param stage 1 or 2
     * @param all whether this is the final retraining, on training and validation images together
     * @param epoch from 1
     * @param epochs of the stage, at most
     * @param batch number within the epoch, from 1
     * @param batches of an epoch
     * @param loss mean over the epoch so far
     * @param accuracy on training images over the epoch so far
     * @param secondsLeft until the end of the stage, if no epoch is saved
     */
    record Step(
            int stage,
            boolean all,
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
     * @param stage 1 or 2
     * @param all whether this is the final retraining, on training and validation images together
     * @param epoch from 1, or 0
     * @param step optimizer steps of the stage so far
     * @param rate factor of the learning rates in its last step
     * @param trainLoss null for epoch 0
     * @param trainAccuracy null for epoch 0
     * @param validationLoss null without validation images
     * @param validationAccuracy null without validation images
     * @param imagesPerSecond views, where an image has several
     * @param seconds that it took, without validation
     * @param best whether it is the best so far
     */
    record Epoch(
            int stage,
            boolean all,
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
     * @param stage after which it was fitted; 0 for the start
     * @param lambda relative penalty that was chosen
     * @param heldOutAccuracy on images that were not fitted to: training images left out in turn, or validation images
     * @param temperature factor of the scores in the softmax
     * @param table all penalties that were tried
     * @param validationAccuracy null without validation images
     * @param kept whether this classifier is used
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

        /** One relative penalty that was tried, and what it gave on images that were not fitted to. */
        public record Trial(double lambda, double accuracy, double logLoss) {}
    }

    /**
     * Validation images have compared the fine-tuned model with the one before it, whose backbone is frozen.
     *
     * @param frozen validation accuracy of the model before stage 2, with its best classifier
     * @param tuned that of the model after it
     * @param images number of validation images
     * @param kept whether the fine-tuned model is used
     */
    record FineTuning(double frozen, double tuned, int images, boolean kept) implements TrainingEvent {

        /** The result for people. */
        public String sentence() {
            String change = String.format(
                    Locale.ROOT, "%.1f → %.1f %% of %,d validation images", 100 * frozen, 100 * tuned, images);
            if (!kept) {
                return "fine-tuning did not help: " + change + "; the frozen model is used";
            }
            return "fine-tuning helped: " + change + (tuned == frozen ? ", with a smaller loss" : "");
        }
    }
}
