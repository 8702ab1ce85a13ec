package io.github.gramian.model.novelty.internal;

/**
 * A count sketch: each dimension of a descriptor is added, with a random sign, to one of fewer dimensions. Inner products are
 * those of the descriptors, up to noise that falls with the square root of the size. Place and sign are hashes of the
 * dimension's index, so nothing needs to be stored.
 */
public final class Sketch {

    /** Errors of inner products are about 3 % of the product of the lengths. */
    private static final int MAX_SIZE = 1024;

    private Sketch() {}

    /** The size of sketches of descriptors of this length. */
    public static int size(long descriptorLength) {
        return (int) Math.min(descriptorLength, MAX_SIZE);
    }

    /**
     * The sketch of a descriptor, scaled to length 1; all zeros for a descriptor of zeros. A descriptor that is no longer than
     * its sketch is its own sketch.
     */
    public static float[] of(float[] descriptor, int size) {
        double[] sums = new double[size];
        if (descriptor.length <= size) {
            for (int i = 0; i < descriptor.length; i++) {
                sums[i] = descriptor[i];
            }
            return unit(sums);
        }
        for (int i = 0; i < descriptor.length; i++) {
            int hash = hash(i);
            int place = (int) (((hash >>> 1) * (long) size) >>> 31);
            sums[place] += (hash & 1) == 0 ? descriptor[i] : -descriptor[i];
        }
        return unit(sums);
    }

    /** Part of the format of model files: another hash would need other names of tensors. */
    private static int hash(int index) {
        int mixed = (index + 1) * 0x9E3779B9;
        mixed = (mixed ^ (mixed >>> 16)) * 0x85EBCA6B;
        mixed = (mixed ^ (mixed >>> 13)) * 0xC2B2AE35;
        return mixed ^ (mixed >>> 16);
    }

    /** A vector of length 1 in the same direction. */
    static float[] unit(double[] vector) {
        double square = 0;
        for (double value : vector) {
            square += value * value;
        }
        double scale = square > 0 ? 1 / Math.sqrt(square) : 0;
        float[] unit = new float[vector.length];
        for (int i = 0; i < unit.length; i++) {
            unit[i] = (float) (vector[i] * scale);
        }
        return unit;
    }
}
