package io.github.gramian.model.novelty.internal;

import java.util.Arrays;

/**
 * What a model stores about its training images, to tell how unlike them a new image is: a {@link NoveltyScore}, and the scores
 * of training images. The novelty of an image is a conformal p-value:
 *
 * <pre>  p = (1 + number of calibration scores ≥ its score) / (1 + number of calibration scores)</pre>
 *
 * <p>P-values of images like those of the training are uniform between 0 and 1, so that 5 % of them lie below 0.05. Safe for
 * use by many threads.
 */
public final class NoveltyReference {

    private final NoveltyScore score;
    private final float[] calibration;

    /** @param calibration scores of images, each by a score that was fitted without the image */
    public NoveltyReference(NoveltyScore score, float[] calibration) {
        this.score = score;
        this.calibration = NoveltyScore.finite(calibration.clone());
        Arrays.sort(this.calibration);
    }

    /** A reference of the first version. */
    public NoveltyReference(float[] mean, short[] components, short[] prototypes, float[] calibration) {
        this(new NearestPrototypes(mean, components, prototypes), calibration);
    }

    /** How scores are computed. */
    public NoveltyScore score() {
        return score;
    }

    /** Number of calibration scores. */
    public int calibrationCount() {
        return calibration.length;
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
        return pValue(score.score(descriptor));
    }

    /** The p-value of a score. */
    double pValue(float value) {
        int atLeast = 0;
        while (atLeast < calibration.length && calibration[calibration.length - 1 - atLeast] >= value) {
            atLeast++;
        }
        return (1.0 + atLeast) / (1.0 + calibration.length);
    }
}
