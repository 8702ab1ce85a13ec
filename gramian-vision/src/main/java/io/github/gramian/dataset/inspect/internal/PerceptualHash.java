package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.image.codec.RgbImage;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * 64 bits that do not change with size, quality or brightness: the signs, against their median, of the lowest 8×8
 * coefficients of the cosine transform of a 32×32 grey thumbnail. The same picture in another size or quality differs in a
 * few bits, two different pictures in about 32.
 */
final class PerceptualHash {

    private static final int SIDE = 32;
    private static final int KEPT = 8;

    /** Grey levels; below it the signs are those of noise, and all blank images would look alike. */
    private static final double FLATTEST = 2;

    /** cos(π(2x+1)u / 2·SIDE), row u. */
    private static final double[][] COSINES = cosines();

    private PerceptualHash() {}

    /** The hash, or nothing for an image that is all but blank. */
    static OptionalLong of(RgbImage image) {
        GreyThumbnail thumbnail = GreyThumbnail.of(image, SIDE);
        return thumbnail.deviation() < FLATTEST ? OptionalLong.empty() : OptionalLong.of(bits(lowest(thumbnail)));
    }

    private static double[] lowest(GreyThumbnail thumbnail) {
        double[][] rows = new double[SIDE][KEPT];
        for (int y = 0; y < SIDE; y++) {
            for (int u = 0; u < KEPT; u++) {
                double sum = 0;
                for (int x = 0; x < SIDE; x++) {
                    sum += thumbnail.level(y * SIDE + x) * COSINES[u][x];
                }
                rows[y][u] = sum;
            }
        }
        double[] coefficients = new double[KEPT * KEPT];
        for (int v = 0; v < KEPT; v++) {
            for (int u = 0; u < KEPT; u++) {
                double sum = 0;
                for (int y = 0; y < SIDE; y++) {
                    sum += rows[y][u] * COSINES[v][y];
                }
                coefficients[v * KEPT + u] = sum;
            }
        }
        // The mean brightness does not characterise the picture.
        coefficients[0] = 0;
        return coefficients;
    }

    private static long bits(double[] coefficients) {
        double[] sorted = coefficients.clone();
        Arrays.sort(sorted);
        double median = (sorted[KEPT * KEPT / 2 - 1] + sorted[KEPT * KEPT / 2]) / 2;
        long bits = 0;
        for (int i = 1; i < coefficients.length; i++) {
            if (coefficients[i] > median) {
                bits |= 1L << i;
            }
        }
        return bits;
    }

    private static double[][] cosines() {
        double[][] cosines = new double[KEPT][SIDE];
        for (int u = 0; u < KEPT; u++) {
            for (int x = 0; x < SIDE; x++) {
                cosines[u][x] = Math.cos(Math.PI * (2 * x + 1) * u / (2.0 * SIDE));
            }
        }
        return cosines;
    }
}
