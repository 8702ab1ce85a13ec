package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.corruption.internal.Planes.Plane;
import io.github.gramian.image.corruption.internal.Planes.Plane.Border;
import java.util.List;

/** What software does to images: less contrast, fewer pixels, compression. */
final class Digital {

    private static final double[] CONTRAST = {.4, .3, .2, .1, .05};
    private static final double[] PIXELS = {.6, .5, .4, .3, .25};
    private static final int[] QUALITY = {25, 18, 15, 10, 7};

    private Digital() {}

    /** Moves each colour towards its mean over the image. */
    static Planes contrast(Planes image, int severity, Draws draws) {
        double factor = CONTRAST[severity - 1];
        return image.each(plane -> {
            double sum = 0;
            for (double value : plane.values()) {
                sum += value;
            }
            double mean = sum / plane.values().length;
            return plane.map(value -> (value - mean) * factor + mean);
        });
    }

    /** Reduces the image to this share of its width and height, and enlarges it again without interpolation. */
    static Planes pixelate(Planes image, int severity, Draws draws) {
        double share = PIXELS[severity - 1];
        int small = Math.max(1, (int) (image.width() * share));
        int low = Math.max(1, (int) (image.height() * share));
        return image.each(plane -> boxes(boxes(plane, small, low), plane.width(), plane.height()));
    }

    /** Another size by means over boxes of whole pixels, in 8 bits, as Pillow's filter BOX. */
    private static Plane boxes(Plane plane, int width, int height) {
        double[] rows = new double[width * plane.height()];
        for (int x = 0; x < width; x++) {
            int from = start(x, plane.width(), width);
            int to = end(x, plane.width(), width);
            for (int y = 0; y < plane.height(); y++) {
                double sum = 0;
                for (int i = from; i < to; i++) {
                    sum += plane.at(i, y);
                }
                rows[y * width + x] = rounded(sum / (to - from));
            }
        }
        double[] values = new double[width * height];
        for (int y = 0; y < height; y++) {
            int from = start(y, plane.height(), height);
            int to = end(y, plane.height(), height);
            for (int x = 0; x < width; x++) {
                double sum = 0;
                for (int i = from; i < to; i++) {
                    sum += rows[i * width + x];
                }
                values[y * width + x] = rounded(sum / (to - from));
            }
        }
        return new Plane(width, height, values);
    }

    private static double rounded(double value) {
        return Math.floor(255 * value + 0.5 + 1e-9) / 255;
    }

    private static int start(int place, int source, int target) {
        double scale = (double) source / target;
        return Math.max(0, (int) ((place + .5) * scale - .5 * Math.max(1, scale) + .5));
    }

    private static int end(int place, int source, int target) {
        double scale = (double) source / target;
        return Math.min(source, (int) ((place + .5) * scale + .5 * Math.max(1, scale) + .5));
    }

    /** Writes a JPEG of this quality and reads it. */
    static Planes jpeg(Planes image, int severity, Draws draws) {
        return JpegLoss.of(image, QUALITY[severity - 1]);
    }

    /**
     * The loss of a JPEG with halved chroma: colours to luma and chroma, chroma to half its size, quantised cosine coefficients of
     * blocks of 8×8, and back. The bytes of the file are not written, since coding them loses nothing.
     */
    static final class JpegLoss {

        private static final int SIDE = 8;

        /** Annex K of the standard, row by row. */
        private static final int[] LUMA = {
            16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
            29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
            121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99
        };

        private static final int[] CHROMA = {
            17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99,
                    99,
            99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                    99,
            99, 99, 99, 99, 99, 99, 99, 99
        };

        /** Row u has the values of the u-th cosine. */
        private static final double[] COSINES = cosines();

        private JpegLoss() {}

        static Planes of(Planes image, int quality) {
            Plane luma = weighted(image, new double[] {.299, .587, .114}, 0);
            Plane blue = weighted(image, new double[] {-.168735892, -.331264108, .5}, 128);
            Plane red = weighted(image, new double[] {.5, -.418687589, -.081312411}, 128);
            int width = image.width();
            int height = image.height();
            Plane y = quantised(luma, table(LUMA, quality));
            Plane cb = doubled(quantised(halved(blue), table(CHROMA, quality)), width, height);
            Plane cr = doubled(quantised(halved(red), table(CHROMA, quality)), width, height);
            return new Planes(List.of(
                    colour(y, cb, cr, 0, 1.402),
                    colour(y, cb, cr, -.344136286, -.714136286),
                    colour(y, cb, cr, 1.772, 0)));
        }

        /** The table at this quality, as libjpeg scales it. */
        private static int[] table(int[] standard, int quality) {
            int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
            int[] scaled = new int[standard.length];
            for (int i = 0; i < scaled.length; i++) {
                scaled[i] = Math.max(1, Math.min(255, (standard[i] * percent + 50) / 100));
            }
            return scaled;
        }

        /** A weighted sum of red, green and blue, as 0..255. */
        private static Plane weighted(Planes image, double[] weights, double offset) {
            double[] values = new double[image.width() * image.height()];
            for (int i = 0; i < values.length; i++) {
                double sum = offset;
                for (int c = 0; c < 3; c++) {
                    sum += weights[c] * 255 * image.values(c)[i];
                }
                values[i] = byteOf(sum);
            }
            return new Plane(image.width(), image.height(), values);
        }

        private static Plane colour(Plane y, Plane cb, Plane cr, double ofBlue, double ofRed) {
            double[] values = new double[y.values().length];
            for (int i = 0; i < values.length; i++) {
                values[i] =
                        byteOf(y.values()[i] + ofBlue * (cb.values()[i] - 128) + ofRed * (cr.values()[i] - 128)) / 255;
            }
            return new Plane(y.width(), y.height(), values);
        }

        /** Means of 2×2 pixels. libjpeg rounds halves down and up in turn, so that the image gets neither darker nor brighter. */
        private static Plane halved(Plane plane) {
            int width = (plane.width() + 1) / 2;
            int height = (plane.height() + 1) / 2;
            double[] values = new double[width * height];
            for (int y = 0; y < height; y++) {
                int lower = Border.NEAREST.index(2 * y + 1, plane.height());
                for (int x = 0; x < width; x++) {
                    int right = Border.NEAREST.index(2 * x + 1, plane.width());
                    double sum = plane.at(2 * x, 2 * y)
                            + plane.at(right, 2 * y)
                            + plane.at(2 * x, lower)
                            + plane.at(right, lower);
                    values[y * width + x] = Math.floor((sum + 1 + x % 2) / 4);
                }
            }
            return new Plane(width, height, values);
        }

        /** Twice the size: each pixel is 9/16 of its own, 3/16 of two and 1/16 of a third neighbour. */
        private static Plane doubled(Plane plane, int width, int height) {
            double[] values = new double[width * height];
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    double value = plane.between(x / 2.0 - .25, y / 2.0 - .25, Border.NEAREST);
                    values[y * width + x] = Math.floor(value + (x % 2 == 0 ? .5 : .4375) + 1e-9);
                }
            }
            return new Plane(width, height, values);
        }

        /** Blocks at the right and lower edge repeat the last pixels. */
        private static Plane quantised(Plane plane, int[] table) {
            int width = plane.width();
            int height = plane.height();
            double[] values = new double[width * height];
            for (int top = 0; top < height; top += SIDE) {
                for (int left = 0; left < width; left += SIDE) {
                    double[] block = new double[SIDE * SIDE];
                    for (int i = 0; i < block.length; i++) {
                        int x = Border.NEAREST.index(left + i % SIDE, width);
                        int y = Border.NEAREST.index(top + i / SIDE, height);
                        block[i] = plane.at(x, y) - 128;
                    }
                    double[] coefficients = turned(turned(block, false), false);
                    for (int i = 0; i < block.length; i++) {
                        coefficients[i] = Math.signum(coefficients[i])
                                * Math.floor(Math.abs(coefficients[i]) / table[i] + .5)
                                * table[i];
                    }
                    double[] restored = turned(turned(coefficients, true), true);
                    for (int i = 0; i < block.length; i++) {
                        if (left + i % SIDE < width && top + i / SIDE < height) {
                            values[(top + i / SIDE) * width + left + i % SIDE] = byteOf(restored[i] + 128);
                        }
                    }
                }
            }
            return new Plane(width, height, values);
        }

        /** The cosine transform of the rows, or its inverse, written as columns: applied twice it is that of the block. */
        private static double[] turned(double[] block, boolean inverse) {
            double[] result = new double[block.length];
            for (int row = 0; row < SIDE; row++) {
                for (int u = 0; u < SIDE; u++) {
                    double sum = 0;
                    for (int x = 0; x < SIDE; x++) {
                        sum += block[row * SIDE + x] * (inverse ? COSINES[x * SIDE + u] : COSINES[u * SIDE + x]);
                    }
                    result[u * SIDE + row] = sum;
                }
            }
            return result;
        }

        private static double[] cosines() {
            double[] values = new double[SIDE * SIDE];
            for (int u = 0; u < SIDE; u++) {
                double scale = u == 0 ? Math.sqrt(1.0 / SIDE) : Math.sqrt(2.0 / SIDE);
                for (int x = 0; x < SIDE; x++) {
                    values[u * SIDE + x] = scale * StrictMath.cos((2 * x + 1) * u * Math.PI / (2 * SIDE));
                }
            }
            return values;
        }

        private static double byteOf(double value) {
            return Math.max(0, Math.min(255, Math.rint(value)));
        }
    }
}
