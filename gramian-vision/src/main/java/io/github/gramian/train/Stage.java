package io.github.gramian.train;

import io.github.gramian.feature.internal.BatchSource;
import io.github.gramian.recipe.StageConfig;
import io.github.gramian.tensor.Seed;
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
        Seed seed) {}
