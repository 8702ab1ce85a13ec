package io.github.gramian.model.novelty.internal;

import java.util.Arrays;

/**
 * What a model stores about its training images, to tell how unlike them a new image is. A descriptor is {@linkplain Sketch
 * sketched}, centred, projected to the principal components of the training images and scaled to length 1. Its score is the
 * mean distance to its {@value #NEIGHBOURS} nearest prototypes. The novelty of an image is a conformal p-value:
 *
 * <pre>  p = (1 + number of calibration scores ≥ its score) / (1 + number of calibration scores)</pre>
 *
 * <p>P-values of images like those of the training are uniform between 0 and 1, so that 5 % of them lie below 0.05. Safe for
 * use by many threads.
 */
public final class NoveltyReference {

    /** Distances to more neighbours tell less about small classes, and those to fewer are noisy. */
    public static final int NEIGHBOURS = 5;

    /** Far more than this program writes. */
    private static final int MAX_SIZE = 1 << 16;

    private final float[] mean;
    private final float[] components;
    private final float[] prototypes;
    private final float[] calibration;
    private final int rank;

    /**
     * @param mean of the sketches: [size]
     * @param components [rank × size] in half precision, row by row
     * @param prototypes projected training images, [prototypes × rank] in half precision, row by row
     * @param calibration scores of images, each without itself among the prototypes
     */
    public NoveltyReference(float[] mean, short[] components, short[] prototypes, float[] calibration) {
        int size = mean.length;
        if (size == 0 || size > MAX_SIZE || components.length == 0 || components.length % size != 0) {
            throw new IllegalArgumentException("the novelty reference has " + components.length
                    + " values of components for sketches of " + size + " dimensions");
        }
        this.rank = components.length / size;
        if (rank > size || prototypes.length == 0 || prototypes.length % rank != 0) {
            throw new IllegalArgumentException("the novelty reference has " + prototypes.length
                    + " values of prototypes for " + rank + " components");
        }
        this.mean = finite(mean.clone());
        this.components = finite(Half.values(components));
        this.prototypes = finite(Half.values(prototypes));
        this.calibration = finite(calibration.clone());
        Arrays.sort(this.calibration);
    }

    private static float[] finite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a value of the novelty reference is " + value);
            }
        }
        return values;
    }

    /** Dimensions of a sketch. */
    public int size() {
        return mean.length;
    }

    /** Number of principal components. */
    public int rank() {
        return rank;
    }

    /** Number of training images that are stored. */
    public int prototypeCount() {
        return prototypes.length / rank;
    }

    public float[] mean() {
        return mean.clone();
    }

    /** In half precision, row by row. */
    public short[] components() {
        return Half.bits(components);
    }

    /** In half precision, row by row. */
    public short[] prototypes() {
        return Half.bits(prototypes);
    }

    /** Number of calibration scores. */
    public int calibrationCount() {
        return calibration.length;
    }

    /** The p-value of an image that is less like the training images than any calibration image. */
    public double smallestPValue() {
        return 1.0 / (1 + calibration.length);
    }

    /** Sorted from small to large. */
    public float[] calibration() {
        return calibration.clone();
    }

    /**
     * The p-value of a new image; small if it is unlike the training images.
     *
     * @param descriptor finite
     */
    public double novelty(float[] descriptor) {
        return pValue(score(descriptor));
    }

    /** The p-value of a score. */
    double pValue(float score) {
        int atLeast = 0;
        while (atLeast < calibration.length && calibration[calibration.length - 1 - atLeast] >= score) {
            atLeast++;
        }
        return (1.0 + atLeast) / (1.0 + calibration.length);
    }

    /** Mean distance to the nearest prototypes; large if the image is unlike them. */
    float score(float[] descriptor) {
        float[] point = projected(Sketch.of(descriptor, mean.length));
        NearestDistances nearest = new NearestDistances(NEIGHBOURS);
        for (int start = 0; start < prototypes.length; start += rank) {
            nearest.add(squareDistance(point, start));
        }
        return nearest.mean();
    }

    private float squareDistance(float[] point, int start) {
        float sum = 0;
        for (int i = 0; i < rank; i++) {
            float difference = point[i] - prototypes[start + i];
            sum += difference * difference;
        }
        return sum;
    }

    private float[] projected(float[] sketch) {
        double[] point = new double[rank];
        for (int row = 0; row < rank; row++) {
            int start = row * sketch.length;
            float sum = 0;
            for (int i = 0; i < sketch.length; i++) {
                sum += components[start + i] * (sketch[i] - mean[i]);
            }
            point[row] = sum;
        }
        return Sketch.unit(point);
    }
}
