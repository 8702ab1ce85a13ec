package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.image.codec.RgbImage;

/**
 * A square of grey levels, each the mean over its part of the image whatever the image's shape: what is left of a picture
 * after rescaling, recompression and small retouching.
 */
final class GreyThumbnail {

    /** Row by row, 0 to 255. */
    private final float[] levels;

    private GreyThumbnail(float[] levels) {
        this.levels = levels;
    }

    /** With this many rows and columns. */
    static GreyThumbnail of(RgbImage image, int side) {
        float[] levels = new float[side * side];
        for (int row = 0; row < side; row++) {
            int top = start(row, image.height(), side);
            int bottom = end(row, image.height(), side);
            for (int column = 0; column < side; column++) {
                int left = start(column, image.width(), side);
                int right = end(column, image.width(), side);
                levels[row * side + column] = mean(image, left, top, right, bottom);
            }
        }
        return new GreyThumbnail(levels);
    }

    private static int start(int cell, int length, int side) {
        return (int) ((long) cell * length / side);
    }

    /** At least one pixel on, so that images smaller than the thumbnail are read too. */
    private static int end(int cell, int length, int side) {
        return Math.max(start(cell, length, side) + 1, start(cell + 1, length, side));
    }

    private static float mean(RgbImage image, int left, int top, int right, int bottom) {
        byte[] pixels = image.pixels();
        double sum = 0;
        for (int y = top; y < bottom; y++) {
            int at = 3 * (y * image.width() + left);
            for (int x = left; x < right; x++, at += 3) {
                sum += 0.299 * (pixels[at] & 0xFF) + 0.587 * (pixels[at + 1] & 0xFF) + 0.114 * (pixels[at + 2] & 0xFF);
            }
        }
        return (float) (sum / ((long) (right - left) * (bottom - top)));
    }

    /** The grey level at a place, counted row by row. */
    float level(int at) {
        return levels[at];
    }

    /** The mean grey level. */
    double mean() {
        double sum = 0;
        for (float level : levels) {
            sum += level;
        }
        return sum / levels.length;
    }

    /** Standard deviation of the grey levels; a blank image has none. */
    double deviation() {
        double mean = mean();
        double sum = 0;
        for (float level : levels) {
            sum += (level - mean) * (level - mean);
        }
        return Math.sqrt(sum / levels.length);
    }

    /** Pearson's correlation with another of the same size, which brightness and contrast do not change; 0 if one is blank. */
    double correlation(GreyThumbnail other) {
        double mean = mean();
        double otherMean = other.mean();
        double product = 0;
        for (int i = 0; i < levels.length; i++) {
            product += (levels[i] - mean) * (other.levels[i] - otherMean);
        }
        double scale = deviation() * other.deviation() * levels.length;
        return scale == 0 ? 0 : product / scale;
    }
}
