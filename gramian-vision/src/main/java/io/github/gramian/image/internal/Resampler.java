package io.github.gramian.image.internal;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.internal.Window;

/**
 * Resizing as Pillow does it: first along rows, then along columns, each output sample a weighted sum of the source
 * samples under the filter, with weights of 22 fractional bits and a rounding to 8 bits after each pass.
 *
 * <p>Output sample i of n looks at the source around (i + ½)·scale, scale = source length / n; the filter is stretched by
 * max(scale, 1).
 */
public final class Resampler {

    private static final int PRECISION = 22;
    private static final int HALF = 1 << (PRECISION - 1);

    private final Interpolation interpolation;

    public Resampler(Interpolation interpolation) {
        this.interpolation = interpolation;
    }

    /** The whole image in another size. */
    public RgbImage resize(RgbImage image, int width, int height) {
        return resize(image, new Window(0, 0, image.width(), image.height(), false), width, height);
    }

    /** The part under a window in another size: the same as cutting it out first, without the copy. */
    public RgbImage resize(RgbImage image, Window window, int width, int height) {
        window.checkInside(image.width(), image.height());
        if (width == window.width() && height == window.height()) {
            return image.cut(window);
        }
        RgbImage rows = image;
        Window rest = window;
        if (width != window.width()) {
            rows = alongRows(image, window, width);
            rest = new Window(0, 0, width, window.height(), false);
        }
        return height == window.height() ? rows.cut(rest) : alongColumns(rows, rest, height);
    }

    private RgbImage alongRows(RgbImage image, Window window, int width) {
        Weights weights = Weights.of(window.width(), width, interpolation);
        byte[] from = image.pixels();
        byte[] to = new byte[3 * width * window.height()];
        int[] weight = weights.weights;
        for (int y = 0, out = 0; y < window.height(); y++) {
            int row = 3 * ((window.y() + y) * image.width() + window.x());
            for (int x = 0; x < width; x++) {
                int red = HALF;
                int green = HALF;
                int blue = HALF;
                int at = row + 3 * weights.first[x];
                int w = x * weights.stride;
                for (int end = w + weights.count[x]; w < end; w++, at += 3) {
                    int k = weight[w];
                    red += k * (from[at] & 0xFF);
                    green += k * (from[at + 1] & 0xFF);
                    blue += k * (from[at + 2] & 0xFF);
                }
                to[out++] = clamp(red);
                to[out++] = clamp(green);
                to[out++] = clamp(blue);
            }
        }
        return new RgbImage(width, window.height(), to);
    }

    /** A row of output is a weighted sum of whole rows, so the inner loop runs along memory. */
    private RgbImage alongColumns(RgbImage image, Window window, int height) {
        Weights weights = Weights.of(window.height(), height, interpolation);
        byte[] from = image.pixels();
        int rowBytes = 3 * window.width();
        byte[] to = new byte[rowBytes * height];
        int[] sums = new int[rowBytes];
        for (int y = 0; y < height; y++) {
            java.util.Arrays.fill(sums, HALF);
            for (int i = 0; i < weights.count[y]; i++) {
                int k = weights.weights[y * weights.stride + i];
                int at = 3 * ((window.y() + weights.first[y] + i) * image.width() + window.x());
                for (int x = 0; x < rowBytes; x++) {
                    sums[x] += k * (from[at + x] & 0xFF);
                }
            }
            for (int x = 0, out = y * rowBytes; x < rowBytes; x++) {
                to[out + x] = clamp(sums[x]);
            }
        }
        return new RgbImage(window.width(), height, to);
    }

    private static byte clamp(int sum) {
        return (byte) Math.max(0, Math.min(255, sum >> PRECISION));
    }

    /** For each output sample, the first source sample under the filter, their number, and their weights. */
    private static final class Weights {
        final int stride;
        final int[] first;
        final int[] count;
        final int[] weights;

        private Weights(int stride, int size) {
            this.stride = stride;
            this.first = new int[size];
            this.count = new int[size];
            this.weights = new int[Math.multiplyExact(stride, size)];
        }

        static Weights of(int sourceSize, int size, Interpolation interpolation) {
            double scale = (double) sourceSize / size;
            double stretch = Math.max(scale, 1);
            double support = interpolation.support() * stretch;
            Weights weights = new Weights((int) Math.ceil(support) * 2 + 1, size);
            double[] raw = new double[weights.stride];
            for (int i = 0; i < size; i++) {
                double centre = (i + 0.5) * scale;
                int first = Math.max(0, (int) (centre - support + 0.5));
                int count = Math.min(sourceSize, (int) (centre + support + 0.5)) - first;
                double sum = 0;
                for (int j = 0; j < count; j++) {
                    raw[j] = interpolation.weight((j + first - centre + 0.5) * (1 / stretch));
                    sum += raw[j];
                }
                weights.first[i] = first;
                weights.count[i] = count;
                for (int j = 0; j < count; j++) {
                    double exact = raw[j] * (1 / sum) * (1 << PRECISION);
                    weights.weights[i * weights.stride + j] = (int) (exact < 0 ? exact - 0.5 : exact + 0.5);
                }
            }
            return weights;
        }
    }
}
