package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.corruption.internal.Plane.Border;

/** Moves pixels. */
final class Warp {

    private Warp() {}

    /** The place in the source that an output pixel shows. */
    @FunctionalInterface
    interface Source {
        void find(int x, int y, double[] xy);
    }

    static Plane moved(Plane plane, Source source, Border border) {
        int width = plane.width();
        int height = plane.height();
        double[] values = new double[plane.values().length];
        double[] xy = new double[2];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                source.find(x, y, xy);
                values[y * width + x] = plane.between(xy[0], xy[1], border);
            }
        }
        return new Plane(width, height, values);
    }

    /**
     * The centre enlarged by a factor of at least 1 to the size of the whole, as the published program does it: cut out whole
     * pixels, stretch so that first and last pixel keep their places, trim.
     */
    static Plane zoomed(Plane plane, double factor) {
        int width = plane.width();
        int height = plane.height();
        int cutWidth = (int) Math.ceil(width / factor);
        int cutHeight = (int) Math.ceil(height / factor);
        Plane centre = plane.cut((width - cutWidth) / 2, (height - cutHeight) / 2, cutWidth, cutHeight);
        int wide = (int) Math.rint(cutWidth * factor);
        int high = (int) Math.rint(cutHeight * factor);
        double stepX = wide > 1 ? (cutWidth - 1.0) / (wide - 1) : 0;
        double stepY = high > 1 ? (cutHeight - 1.0) / (high - 1) : 0;
        int left = (wide - width) / 2;
        int top = (high - height) / 2;
        double[] values = new double[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                values[y * width + x] = centre.between((x + left) * stepX, (y + top) * stepY, Border.NEAREST);
            }
        }
        return new Plane(width, height, values);
    }
}
