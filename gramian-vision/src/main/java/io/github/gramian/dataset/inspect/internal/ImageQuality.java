package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.image.codec.RgbImage;

/**
 * Measures of a photograph that say whether a model can learn from it.
 *
 * @param shortSide in pixels
 * @param brightness mean grey level, 0 to 255
 * @param contrast standard deviation of the grey levels
 * @param sharpness standard deviation of the differences between a grey level and its four neighbours, over the contrast; a
 *     blurred image has little
 */
record ImageQuality(int shortSide, double brightness, double contrast, double sharpness) {

    /** Blur that survives this reduction also blurs what a network sees. */
    private static final int SIDE = 224;

    /** Grey levels; below it, noise would decide the sharpness. */
    private static final double FLATTEST = 2;

    static ImageQuality of(RgbImage image) {
        int side = Math.min(SIDE, Math.min(image.width(), image.height()));
        GreyThumbnail grey = GreyThumbnail.of(image, side);
        double contrast = grey.deviation();
        return new ImageQuality(
                Math.min(image.width(), image.height()),
                grey.mean(),
                contrast,
                contrast < FLATTEST || side < 3 ? 0 : edges(grey, side) / contrast);
    }

    private static double edges(GreyThumbnail grey, int side) {
        double squares = 0;
        for (int y = 1; y < side - 1; y++) {
            for (int x = 1; x < side - 1; x++) {
                int at = y * side + x;
                double around = grey.level(at - 1) + grey.level(at + 1) + grey.level(at - side) + grey.level(at + side);
                double edge = grey.level(at) - around / 4;
                squares += edge * edge;
            }
        }
        return Math.sqrt(squares / ((side - 2.0) * (side - 2.0)));
    }
}
