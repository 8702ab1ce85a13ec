package io.github.gramian.train.stage.internal;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.recipe.ClassesConfig.Weights;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The input of a stage.
 *
 * @param number 1 or 2
 * @param config its settings
 * @param training images to learn from
 * @param validation images that choose the best epoch; null if there are none
 * @param seed random seed
 * @param weights of the classes of the training images
 * @param chosen for the final retraining, on all images: the epochs that validation images have chosen before; null if they choose now
 */
public record Stage(
        int number,
        StageConfig config,
        BatchSource training,
        @Nullable BatchSource validation,
        Seed seed,
        Weights weights,
        @Nullable Epochs chosen) {

    /**
     * The epochs of a stage that led to the selected weights.
     *
     * @param count number of epochs
     * @param plateau the factor of the rates that {@code schedule: plateau} had in each
     */
    public record Epochs(int count, List<Double> plateau) {

        public static final Epochs NONE = new Epochs(0, List.of());

        public Epochs {
            plateau = List.copyOf(plateau);
        }
    }

    /** A stage that chooses its epoch by itself, and in which all images count the same. */
    Stage(int number, StageConfig config, BatchSource training, @Nullable BatchSource validation, Seed seed) {
        this(number, config, training, validation, seed, Weights.NONE, null);
    }

    /** Whether it is part of the final retraining, on training and validation images together. */
    public boolean onAll() {
        return chosen != null;
    }

    /** Epochs to train at most. Rates are those of the whole stage: they fall along the same curve and just end with it. */
    public int epochs() {
        return chosen == null ? config.batches().epochs() : chosen.count();
    }

    /** Whether it ends with the weights of its best epoch, and not of its last. */
    boolean keepsBest() {
        return chosen == null && config.keep() == StageConfig.Keep.BEST;
    }

    /** A permutation of the training images that depends only on the seed and the epoch. */
    int[] order(int epoch) {
        int[] order = training.inOrder();
        SplittableRandom random = seed.child("order").child(number).child(epoch).random();
        for (int i = order.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int swapped = order[i];
            order[i] = order[j];
            order[j] = swapped;
        }
        return order;
    }
}
