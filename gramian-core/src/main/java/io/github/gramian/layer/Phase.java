package io.github.gramian.layer;

import io.github.gramian.layer.internal.BatchShard;
import io.github.gramian.tensor.Seed;
import org.jspecify.annotations.Nullable;

/**
 * Whether a forward computation is part of training or of inference. In training, running statistics are updated, and whatever is random is drawn
 * from the seed of the step; so a repeated or resumed step computes the same.
 *
 * @param training whether statistics are updated and something may be random
 * @param seed of the step
 * @param part of the batch that is computed here while other processes compute the rest; null for all of it. What is random
 *     is then drawn for the whole batch, and running means wait for {@link Parameter#foldIn}
 */
public record Phase(boolean training, Seed seed, @Nullable BatchShard part) {

    private static final Phase INFERENCE = new Phase(false, new Seed(0), null);

    /** Nothing is updated, nothing is random. */
    public static Phase inference() {
        return INFERENCE;
    }

    /** One training step with its own seed. */
    public static Phase training(Seed stepSeed) {
        return new Phase(true, stepSeed, null);
    }

    /** A part of a training step that several processes compute together. */
    public static Phase training(Seed stepSeed, BatchShard part) {
        return new Phase(true, stepSeed, part);
    }
}
