package io.github.gramian.model.novelty.internal;

/**
 * Gaussian densities of the classes, and of the classes that were never seen. Coordinates are those of {@link LikelihoodRatio}:
 * in each of them, the images of a class have the variance 1 around their mean, and the means of classes have the variance
 * {@code spread} around 0.
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
public record ClassDensities(
        float[] mean,
        float scale,
        float[] components,
        float[] whitening,
        float[] means,
        float[] counts,
        float[] spread) {

    public ClassDensities {
        int size = mean.length;
        int rank = spread.length - 1;
        if (size == 0 || size > NearestPrototypes.MAX_SIZE || rank < 1 || rank > size) {
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
            NoveltyScore.finite(values);
        }
        requirePositive(scale, "scale");
        for (float count : counts) {
            requirePositive(count, "number of images");
        }
        for (float one : spread) {
            requirePositive(one, "spread");
        }
    }

    private static void requirePositive(float value, String what) {
        if (!(value > 0)) {
            throw new IllegalArgumentException("a " + what + " of the novelty reference is " + value);
        }
    }
}
