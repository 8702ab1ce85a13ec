package io.github.gramian.image.corruption.internal;

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
}
