package io.github.gramian.image.corruption.internal;

import io.github.gramian.tensor.Seed;
import java.util.SplittableRandom;

/**
 * Random numbers of one corrupted image. Normal and Poisson values are computed here, because the JDK may change how it
 * draws them, and a corrupted image must not depend on the JDK.
 */
final class Draws {

    private final SplittableRandom random;
    private double spare = Double.NaN;

    Draws(Seed seed) {
        this.random = seed.random();
    }

    /** Uniform on [low, high). */
    double between(double low, double high) {
        return low + (high - low) * ((random.nextLong() >>> 11) * 0x1p-53);
    }

    /** Uniform on the integers low..high−1. */
    int integer(int low, int high) {
        return low + (int) between(0, high - low);
    }

    /** Standard normal, by the polar method of Marsaglia. */
    double normal() {
        if (!Double.isNaN(spare)) {
            double second = spare;
            spare = Double.NaN;
            return second;
        }
        double u;
        double v;
        double square;
        do {
            u = between(-1, 1);
            v = between(-1, 1);
            square = u * u + v * v;
        } while (square >= 1 || square == 0);
        double factor = Math.sqrt(-2 * StrictMath.log(square) / square);
        spare = v * factor;
        return u * factor;
    }

    /** The number of events with this mean, at most 100: the inverse of the distribution function. */
    int poisson(double mean) {
        double left = between(0, 1);
        double probability = StrictMath.exp(-mean);
        int events = 0;
        while (left >= probability && events < 1000) {
            left -= probability;
            events++;
            probability *= mean / events;
        }
        return events;
    }
}
