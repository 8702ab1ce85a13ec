package io.github.gramian.layer;

import io.github.gramian.tensor.Seed;

/**
 * Why a forward computation runs. In training, running statistics are updated, and whatever is random takes its numbers
 * from the seed of the step; so a repeated or resumed step computes the same.
 */
public record Phase(boolean training, Seed seed) {

    private static final Phase INFERENCE = new Phase(false, new Seed(0));

    /** Nothing is updated, nothing is random. */
    public static Phase inference() {
        return INFERENCE;
    }

    /** One training step with its own seed. */
    public static Phase training(Seed stepSeed) {
        return new Phase(true, stepSeed);
    }
}
