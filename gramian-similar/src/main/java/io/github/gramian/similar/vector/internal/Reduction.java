package io.github.gramian.similar.vector.internal;

/**
 * Descriptors as short vectors of unit length: y = A (x − μ) / ‖A (x − μ)‖, where the rows of A are principal components,
 * whitened. The inner product of two such vectors is the similarity of their images, from −1 to 1. Safe for use by many threads.
 */
public final class Reduction {

    /** Lucene stores no longer vectors. */
    public static final int MAX_DIMENSIONS = 1024;

    /** Far longer than any descriptor that a recipe makes. */
    static final int MAX_LENGTH = 1 << 22;

    private static final int SUMS = 8;

    private final float[] mean;
    private final float[] components;
    private final int dimensions;

    /**
     * @param mean μ: [length]
     * @param components A: [dimensions × length], row by row
     */
    public Reduction(float[] mean, float[] components) {
        int length = mean.length;
        if (length < 1 || length > MAX_LENGTH || components.length == 0 || components.length % length != 0) {
            throw new IllegalArgumentException(
                    components.length + " values are not components of descriptors of " + length + " dimensions");
        }
        this.dimensions = components.length / length;
        if (dimensions > MAX_DIMENSIONS) {
            throw new IllegalArgumentException("dimensions must lie in 1.." + MAX_DIMENSIONS + " but is " + dimensions);
        }
        this.mean = finite(mean.clone());
        this.components = finite(components.clone());
    }

    private static float[] finite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a value of the components is " + value);
            }
        }
        return values;
    }

    /** Dimensions of a descriptor. */
    public int length() {
        return mean.length;
    }

    /** Dimensions of a reduced vector. */
    public int dimensions() {
        return dimensions;
    }

    float[] mean() {
        return mean.clone();
    }

    float[] components() {
        return components.clone();
    }

    /**
     * The vector of a descriptor. A descriptor that equals the mean in all components has no direction; it gets the first axis.
     *
     * @throws IllegalArgumentException if the descriptor has another length, or a value that is not finite
     */
    public float[] apply(float[] descriptor) {
        if (descriptor.length != mean.length) {
            throw new IllegalArgumentException(
                    "a descriptor has " + descriptor.length + " dimensions, but the index needs " + mean.length
                            + "; describe the image with the model of the index");
        }
        float[] centred = new float[mean.length];
        for (int i = 0; i < centred.length; i++) {
            centred[i] = descriptor[i] - mean[i];
        }
        return applyCentred(centred);
    }

    /** The vector of a descriptor that the mean was subtracted from, as a fit leaves its sample. */
    public float[] applyCentred(float[] centred) {
        double[] projected = new double[dimensions];
        for (int row = 0; row < dimensions; row++) {
            projected[row] = dot(components, row * mean.length, centred);
        }
        return unit(projected);
    }

    /** Eight sums side by side, since the processor need not wait for one addition before it starts the next. */
    private static double dot(float[] rows, int start, float[] vector) {
        int whole = vector.length - vector.length % SUMS;
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        for (int i = 0; i < whole; i += SUMS) {
            s0 += rows[start + i] * vector[i];
            s1 += rows[start + i + 1] * vector[i + 1];
            s2 += rows[start + i + 2] * vector[i + 2];
            s3 += rows[start + i + 3] * vector[i + 3];
            s4 += rows[start + i + 4] * vector[i + 4];
            s5 += rows[start + i + 5] * vector[i + 5];
            s6 += rows[start + i + 6] * vector[i + 6];
            s7 += rows[start + i + 7] * vector[i + 7];
        }
        double sum = (double) s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
        for (int i = whole; i < vector.length; i++) {
            sum += rows[start + i] * vector[i];
        }
        return sum;
    }

    private static float[] unit(double[] vector) {
        double square = 0;
        for (double value : vector) {
            square += value * value;
        }
        if (!Double.isFinite(square)) {
            throw new IllegalArgumentException("a descriptor has a value that is not finite");
        }
        float[] unit = new float[vector.length];
        if (square == 0) {
            unit[0] = 1;
            return unit;
        }
        double scale = 1 / Math.sqrt(square);
        for (int i = 0; i < unit.length; i++) {
            unit[i] = (float) (vector[i] * scale);
        }
        return unit;
    }
}
