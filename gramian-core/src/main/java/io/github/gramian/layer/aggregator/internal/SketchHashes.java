package io.github.gramian.layer.aggregator.internal;

import io.github.gramian.tensor.Seed;

/**
 * The hashes of a count sketch: every channel i falls into one of d buckets with a sign. They follow from the seed by
 * integer arithmetic, the same on every machine.
 *
 * @param dimension d
 */
public record SketchHashes(int dimension, Seed seed) {

    /** The hashes of the first of two factors of compact bilinear pooling. */
    public static SketchHashes first(int dimension, Seed seed) {
        return new SketchHashes(dimension, seed.child("first"));
    }

    /** The hashes of the second. */
    public static SketchHashes second(int dimension, Seed seed) {
        return new SketchHashes(dimension, seed.child("second"));
    }

    /** h(i). */
    public int bucket(int channel) {
        return (int) Math.floorMod(seed.child("bucket").child(channel).value(), (long) dimension);
    }

    /** s(i): 1 or −1. */
    public int sign(int channel) {
        return seed.child("sign").child(channel).value() < 0 ? -1 : 1;
    }
}
