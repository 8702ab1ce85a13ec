package io.github.gramian.certainty.internal;

import java.util.Arrays;

/**
 * What a model stores about its training images, to tell how unlike them a new image is. The novelty of an image is a conformal
 * p-value: with the m scores of images that calibrate,
 *
 * <pre>  p = (1 + number of calibration scores ≥ its score) / (1 + m)</pre>
 *
 * <p>P-values of images like those of the training are uniform between 0 and 1, so that 5 % of them lie below 0.05.
 *
 * <p>The score is twice the logarithm of the likelihood ratio of two explanations of an image: a class that was never seen, or
 * the most likely one of the known classes. With the sketch x of a descriptor,
 *
 * <pre>
 *  c = (x − mean)/scale;  p = components·c;  e = ‖c‖² − ‖p‖²;  y = whitening·p
 *  mean of class k in coordinate i:  aₖᵢ = means ₖᵢ·sᵢ/(sᵢ + 1/nₖ);   its variance:  vₖᵢ = 1 + sᵢ/(nₖsᵢ + 1)
 *  score = minₖ Σᵢ((yᵢ − aₖᵢ)²/vₖᵢ + ln vₖᵢ) − Σᵢ(yᵢ²/(1 + sᵢ) + ln(1 + sᵢ)) + e·s/(1 + s)
 * </pre>
 *
 * <p>s is the spread of the {@link Densities}, and n the number of images of a class: the mean of a class with few images is
 * uncertain, so it is closer to the mean of all, and the class is wider. Safe for use by many threads.
 */
public final class Novelty {

    /** Sketches have errors of inner products of about 3 % of the product of the lengths. */
    private static final int MAX_SKETCH = 1024;

    /** Far more than this program writes. */
    private static final int MAX_STORED = 1 << 16;

    private final Densities densities;
    private final float[] calibration;
    private final int rank;
    private final double[] centres;
    private final double[] precisions;
    private final double[] offsets;

    /**
     * Gaussian densities of the classes, and of the classes that were never seen. In each coordinate, the images of a class have
     * the variance 1 around their mean, and the means of classes have the variance {@code spread} around 0.
     *
     * @param mean of the sketches: [size]
     * @param scale square root of the variance of an image in directions that are not components
     * @param components orthonormal principal components, [rank × size], row by row
     * @param whitening from components to coordinates, [rank × rank], row by row
     * @param means of the classes, [classes × rank], row by row
     * @param counts number of training images of each class
     * @param spread [rank + 1]: the last one is that of directions that are not components
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, not compared
    public record Densities(
            float[] mean,
            float scale,
            float[] components,
            float[] whitening,
            float[] means,
            float[] counts,
            float[] spread) {

        public Densities {
            int size = mean.length;
            int rank = spread.length - 1;
            if (size == 0 || size > MAX_STORED || rank < 1 || rank > size) {
                throw new IllegalArgumentException(
                        "the novelty reference has " + rank + " components for sketches of " + size + " dimensions");
            }
            boolean fits = components.length == (long) rank * size
                    && whitening.length == (long) rank * rank
                    && counts.length > 0
                    && means.length == (long) counts.length * rank;
            if (!fits) {
                throw new IllegalArgumentException("the arrays of the novelty reference do not fit each other");
            }
            for (float[] values : new float[][] {mean, components, whitening, means, counts, spread, {scale}}) {
                requireFinite(values);
            }
            requirePositive("scale", scale);
            requirePositive("number of images", counts);
            requirePositive("spread", spread);
        }

        private static void requirePositive(String what, float... values) {
            for (float value : values) {
                if (!(value > 0)) {
                    throw new IllegalArgumentException("a " + what + " of the novelty reference is " + value);
                }
            }
        }
    }

    /** @param calibration scores of images, each by densities that were fitted without the image */
    public Novelty(Densities densities, float[] calibration) {
        this.densities = densities;
        this.calibration = calibration.clone();
        requireFinite(this.calibration);
        Arrays.sort(this.calibration);
        this.rank = densities.spread.length - 1;
        int classes = densities.counts.length;
        this.centres = new double[classes * rank];
        this.precisions = new double[classes * rank];
        this.offsets = new double[classes];
        for (int k = 0; k < classes; k++) {
            double count = densities.counts[k];
            for (int i = 0; i < rank; i++) {
                double spread = densities.spread[i];
                double variance = 1 + spread / (count * spread + 1);
                int place = k * rank + i;
                centres[place] = densities.means[place] * spread / (spread + 1 / count);
                precisions[place] = 1 / variance;
                offsets[k] += Math.log(variance);
            }
        }
    }

    private static void requireFinite(float[] values) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException("a value of the novelty reference is " + value);
            }
        }
    }

    /** The densities that the score compares. */
    public Densities densities() {
        return densities;
    }

    /** The scores of the images that calibrate, sorted from small to large. */
    public float[] calibration() {
        return calibration.clone();
    }

    /** Number of calibration scores. */
    public int calibrationCount() {
        return calibration.length;
    }

    /** The smallest p-value that an image can have: no image has a novelty below it. */
    public double smallest() {
        return 1.0 / (1 + calibration.length);
    }

    /** Dimensions of a sketch. */
    public int size() {
        return densities.mean.length;
    }

    /** Number of principal components. */
    public int rank() {
        return rank;
    }

    /** Number of training images of the densities. */
    public int images() {
        double sum = 0;
        for (float count : densities.counts) {
            sum += count;
        }
        return (int) sum;
    }

    /** Share of training images that are the only one of their class: without it, it looks like an unknown image. */
    double singles() {
        int single = 0;
        for (float count : densities.counts) {
            single += count < 2 ? 1 : 0;
        }
        return (double) single / Math.max(1, images());
    }

    /**
     * The p-value of a new image; small if it is unlike the training images.
     *
     * @param descriptor finite
     */
    public double pValue(float[] descriptor) {
        float score = score(descriptor);
        int atLeast = 0;
        while (atLeast < calibration.length && calibration[calibration.length - 1 - atLeast] >= score) {
            atLeast++;
        }
        return (1.0 + atLeast) / (1.0 + calibration.length);
    }

    /**
     * The score of an image, which is larger, the less it is like the training images.
     *
     * @param descriptor finite
     */
    public float score(float[] descriptor) {
        float[] sketch = sketch(descriptor, size());
        double[] centred = new double[sketch.length];
        for (int i = 0; i < sketch.length; i++) {
            centred[i] = (sketch[i] - densities.mean[i]) / densities.scale;
        }
        double[] projected = product(densities.components, centred);
        double rest = Math.max(0, square(centred) - square(projected));
        double[] point = product(densities.whitening, projected);
        double unknown = 0;
        for (int i = 0; i < rank; i++) {
            double wide = 1 + densities.spread[i];
            unknown += point[i] * point[i] / wide + Math.log(wide);
        }
        double spread = densities.spread[rank];
        return (float) (nearest(point) - unknown + rest * spread / (1 + spread));
    }

    /** Of the most likely class. */
    private double nearest(double[] point) {
        double smallest = Double.POSITIVE_INFINITY;
        for (int k = 0; k < offsets.length; k++) {
            double sum = offsets[k];
            for (int i = 0; i < rank; i++) {
                double difference = point[i] - centres[k * rank + i];
                sum += difference * difference * precisions[k * rank + i];
            }
            smallest = Math.min(smallest, sum);
        }
        return smallest;
    }

    private double[] product(float[] rows, double[] vector) {
        double[] product = new double[rank];
        for (int row = 0; row < rank; row++) {
            int start = row * vector.length;
            double sum = 0;
            for (int i = 0; i < vector.length; i++) {
                sum += rows[start + i] * vector[i];
            }
            product[row] = sum;
        }
        return product;
    }

    private static double square(double[] vector) {
        double sum = 0;
        for (double value : vector) {
            sum += value * value;
        }
        return sum;
    }

    /** The size of sketches of descriptors of this length. */
    public static int sketchSize(long descriptorLength) {
        return (int) Math.min(descriptorLength, MAX_SKETCH);
    }

    /**
     * A count sketch, scaled to length 1: each dimension of a descriptor is added, with a random sign, to one of fewer dimensions.
     * Inner products are those of the descriptors, up to noise that falls with the square root of the size. Place and sign are
     * hashes of the dimension's index, so nothing needs to be stored. A descriptor that is no longer than its sketch is its own
     * sketch.
     */
    public static float[] sketch(float[] descriptor, int size) {
        double[] sums = new double[size];
        for (int i = 0; i < descriptor.length; i++) {
            if (descriptor.length <= size) {
                sums[i] = descriptor[i];
            } else {
                int hash = hash(i);
                int place = (int) (((hash >>> 1) * (long) size) >>> 31);
                sums[place] += (hash & 1) == 0 ? descriptor[i] : -descriptor[i];
            }
        }
        double square = square(sums);
        double scale = square > 0 ? 1 / Math.sqrt(square) : 0;
        float[] sketch = new float[size];
        for (int i = 0; i < size; i++) {
            sketch[i] = (float) (sums[i] * scale);
        }
        return sketch;
    }

    /** Part of the format of model files: another hash would need other names of tensors. */
    private static int hash(int index) {
        int mixed = (index + 1) * 0x9E3779B9;
        mixed = (mixed ^ (mixed >>> 16)) * 0x85EBCA6B;
        mixed = (mixed ^ (mixed >>> 13)) * 0xC2B2AE35;
        return mixed ^ (mixed >>> 16);
    }
}
