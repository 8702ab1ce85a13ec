package io.github.gramian.train;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.tensor.Seed;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * What a stage of a training is given.
 *
 * @param number 1 or 2
 * @param config how it descends
 * @param training images to learn from
 * @param validation images that choose the best epoch; null if there are none
 * @param seed of everything random in it
 */
record Stage(
        int number,
        StageConfig config,
        BatchSource training,
        @Nullable BatchSource validation,
        Seed seed) {

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
