package io.github.gramian.layer;

import io.github.gramian.tensor.Seed;

/**
 * Whether a forward computation is part of training or of inference. In training, running statistics are updated, and random
 * values are drawn from the seed of the step, so a repeated or resumed step computes the same.
 */
public class Phase {

    private static final Phase INFERENCE = new Phase(false, new Seed(0));

    private final boolean training;
    private final Seed seed;

    protected Phase(boolean training, Seed seed) {
        this.training = training;
        this.seed = seed;
    }

    /** Nothing is updated, nothing is random. */
    public static Phase inference() {
        return INFERENCE;
    }

    /** One training step with its own seed. */
    public static Phase training(Seed stepSeed) {
        return new Phase(true, stepSeed);
    }

    /** Whether statistics are updated and layers may draw random values. */
    public final boolean training() {
        return training;
    }

    /** The seed of the step. */
    public final Seed seed() {
        return seed;
    }
}
