package io.github.gramian.image;

import io.github.gramian.tensor.Seed;

/** Random numbers in a fixed order out of one seed: the n-th draw of a seed is always the same. */
final class Draws {

    private final Seed seed;
    private long drawn;

    Draws(Seed seed) {
        this.seed = seed;
    }

    /** Uniform on [low, high). */
    double between(double low, double high) {
        return low + (high - low) * ((seed.child(drawn++).value() >>> 11) * 0x1p-53);
    }

    /** Uniform on 0..most, both included. */
    int upTo(int most) {
        return (int) between(0, most + 1.0);
    }

    boolean with(double probability) {
        return between(0, 1) < probability;
    }
}
