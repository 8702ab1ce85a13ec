package io.github.gramian.image.internal;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.codec.RgbImage.Window;
import java.util.Arrays;

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
        return resize(image, width, height, new Window(0, 0, width, height, false));
    }

    /** A part of the image in another size: the same as resizing all of it and cutting out the part afterwards. */
    public RgbImage resize(RgbImage image, int width, int height, Window part) {
        part.checkInside(width, height);
        if (width == image.width() && height == image.height()) {
            return image.cut(part);
        }
        Weights columns = Weights.of(image.width(), width, interpolation, part.x(), part.width());
        Weights rows = Weights.of(image.height(), height, interpolation, part.y(), part.height());
        return resize(image, 0, 0, columns, rows);
    }

    /** The part under a window in another size: the same as cutting it out first, without the copy. */
    public RgbImage resize(RgbImage image, Window window, int width, int height) {
        window.checkInside(image.width(), image.height());
        if (width == window.width() && height == window.height()) {
            return image.cut(window);
        }
        Weights columns = Weights.of(window.width(), width, interpolation, 0, width);
        Weights rows = Weights.of(window.height(), height, interpolation, 0, height);
        return resize(image, window.x(), window.y(), columns, rows);
    }

    /** Of the image's rows only those that the second pass looks at go through the first. */
    private static RgbImage resize(RgbImage image, int left, int top, Weights columns, Weights rows) {
        int firstRow = rows.start();
        int usedRows = rows.end() - firstRow;
        byte[] narrow = alongRows(image, left, top + firstRow, usedRows, columns);
        return new RgbImage(columns.size(), rows.size(), alongColumns(narrow, 3 * columns.size(), firstRow, rows));
    }

    private static byte[] alongRows(RgbImage image, int left, int top, int height, Weights weights) {
        byte[] from = image.pixels();
        byte[] to = new byte[Math.multiplyExact(3 * weights.size(), height)];
        if (weights.identity) {
            for (int y = 0; y < height; y++) {
                int row = 3 * ((top + y) * image.width() + left + weights.start());
                System.arraycopy(from, row, to, 3 * y * weights.size(), 3 * weights.size());
            }
            return to;
        }
        int[] weight = weights.weights;
        for (int y = 0, out = 0; y < height; y++) {
            int row = 3 * ((top + y) * image.width() + left);
            for (int x = 0; x < weights.size(); x++) {
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
        return to;
    }

    /** A row of output is a weighted sum of whole rows, so the inner loop runs along memory. */
    private static byte[] alongColumns(byte[] from, int rowBytes, int firstRow, Weights weights) {
        if (weights.identity) {
            return from;
        }
        byte[] to = new byte[Math.multiplyExact(rowBytes, weights.size())];
        int[] sums = new int[rowBytes];
        for (int y = 0; y < weights.size(); y++) {
            Arrays.fill(sums, HALF);
            for (int i = 0; i < weights.count[y]; i++) {
                int k = weights.weights[y * weights.stride + i];
                int at = (weights.first[y] - firstRow + i) * rowBytes;
                for (int x = 0; x < rowBytes; x++) {
                    sums[x] += k * (from[at + x] & 0xFF);
                }
            }
            for (int x = 0, out = y * rowBytes; x < rowBytes; x++) {
                to[out + x] = clamp(sums[x]);
            }
        }
        return to;
    }

    private static byte clamp(int sum) {
        return (byte) Math.max(0, Math.min(255, sum >> PRECISION));
    }

    /**
     * For some of the output samples, the first source sample under the filter, their number, and their weights. Where source
     * and output have the same length, nothing is weighted.
     */
    private static final class Weights {
        final boolean identity;
        final int stride;
        final int[] first;
        final int[] count;
        final int[] weights;

        private Weights(boolean identity, int stride, int size) {
            this.identity = identity;
            this.stride = stride;
            this.first = new int[size];
            this.count = new int[size];
            this.weights = new int[Math.multiplyExact(stride, size)];
        }

        int size() {
            return first.length;
        }

        /** The first source sample that is looked at; they never go back. */
        int start() {
            return first[0];
        }

        /** After the last. */
        int end() {
            return first[size() - 1] + count[size() - 1];
        }

        /** For the output samples from a place on, of all that the source is resized to. */
        static Weights of(int sourceSize, int size, Interpolation interpolation, int from, int wanted) {
            if (sourceSize == size) {
                Weights same = new Weights(true, 1, wanted);
                for (int i = 0; i < wanted; i++) {
                    same.first[i] = from + i;
                    same.count[i] = 1;
                }
                return same;
            }
            double scale = (double) sourceSize / size;
            double stretch = Math.max(scale, 1);
            double support = interpolation.support() * stretch;
            Weights weights = new Weights(false, (int) Math.ceil(support) * 2 + 1, wanted);
            double[] raw = new double[weights.stride];
            for (int i = 0; i < wanted; i++) {
                double centre = (from + i + 0.5) * scale;
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
