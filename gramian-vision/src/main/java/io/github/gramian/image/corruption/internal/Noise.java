package io.github.gramian.image.corruption.internal;

/** Noise of a sensor; each value of each colour draws its own. */
final class Noise {

    private static final double[] GAUSSIAN = {.08, .12, .18, .26, .38};
    private static final double[] PHOTONS = {60, 25, 12, 5, 3};
    private static final double[] IMPULSES = {.03, .06, .09, .17, .27};

    private Noise() {}

    /** Adds normal values with this standard deviation. */
    static Planes gaussian(Planes image, int severity, Draws draws) {
        double deviation = GAUSSIAN[severity - 1];
        return image.map(value -> value + deviation * draws.normal());
    }

    /** Counts photons: white is this number of them on average, so little light means much noise. */
    static Planes shot(Planes image, int severity, Draws draws) {
        double photons = PHOTONS[severity - 1];
        return image.map(value -> draws.poisson(value * photons) / photons);
    }

    /** Replaces this fraction of the values by 0 or 1. */
    static Planes impulse(Planes image, int severity, Draws draws) {
        double fraction = IMPULSES[severity - 1];
        return image.map(value -> {
            double drawn = draws.between(0, 1);
            if (drawn >= fraction) {
                return value;
            }
            return drawn < fraction / 2 ? 1 : 0;
        });
    }
}
