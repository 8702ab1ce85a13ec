package io.github.gramian.image;

import java.util.Locale;

/**
 * How pixels between pixels are found. Each filter is stretched by the factor of a reduction, so that every source pixel
 * counts (anti-aliasing); Pillow, and torchvision on Pillow's images, do the same.
 */
public enum Interpolation {
    /** A triangle: 1 − |x| on (−1, 1). */
    BILINEAR(1) {
        @Override
        public double weight(double x) {
            return Math.max(0, 1 - Math.abs(x));
        }
    },
    /** Keys' cubic convolution with a = −1/2, on (−2, 2). */
    BICUBIC(2) {
        @Override
        public double weight(double x) {
            double d = Math.abs(x);
            if (d < 1) {
                return ((A + 2) * d - (A + 3)) * d * d + 1;
            }
            return d < 2 ? ((d - 5) * d + 8) * d * A - 4 * A : 0;
        }
    };

    private static final double A = -0.5;

    private final double support;

    Interpolation(double support) {
        this.support = support;
    }

    /** The name in recipes and cache keys. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Half the filter's width, in pixels, when nothing is reduced. */
    public double support() {
        return support;
    }

    /** The filter at a distance of x pixels from its middle. */
    public abstract double weight(double x);
}
