package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.corruption.internal.Planes.Plane;
import io.github.gramian.image.corruption.internal.Planes.Plane.Border;
import java.util.List;

/** Moved pixels: elastic distortion, rotation, change of scale. */
final class Geometry {

    private static final double[] DEGREES = {5, 10, 20, 45, 90};
    private static final double[] ENLARGEMENT = {1.1, 1.25, 1.5, 1.75, 2};
    private static final double[] REDUCTION = {.9, .8, .7, .6, .5};

    /** The published program uses 244 instead of 224. */
    private static final double SIDE = 244;

    private static final List<Elastic> ELASTIC = List.of(
            new Elastic(SIDE * 2, SIDE * .7, SIDE * .1),
            new Elastic(SIDE * 2, SIDE * .08, SIDE * .2),
            new Elastic(SIDE * .05, SIDE * .01, SIDE * .02),
            new Elastic(SIDE * .07, SIDE * .01, SIDE * .02),
            new Elastic(SIDE * .12, SIDE * .01, SIDE * .02));

    private Geometry() {}

    /**
     * One severity of the elastic distortion.
     *
     * @param amplitude factor of the smoothed displacements
     * @param sigma of the Gaussian that smooths them
     * @param affine corners of the affine distortion move by at most this number of pixels
     */
    private record Elastic(double amplitude, double sigma, double affine) {}

    /** An affine distortion, then smooth random displacements of all pixels. */
    static Planes elastic(Planes image, int severity, Draws draws) {
        Elastic elastic = ELASTIC.get(severity - 1);
        Source affine = affine(image.width(), image.height(), elastic.affine, draws);
        double[] right = displacements(image, elastic, draws);
        double[] down = displacements(image, elastic, draws);
        int width = image.width();
        Source displaced = (x, y, xy) -> {
            xy[0] = x + right[y * width + x];
            xy[1] = y + down[y * width + x];
        };
        return image.each(plane -> moved(moved(plane, affine, Border.MIRROR), displaced, Border.REFLECT));
    }

    private static double[] displacements(Planes image, Elastic elastic, Draws draws) {
        Plane random = new Plane(image.width(), image.height(), new double[image.width() * image.height()])
                .map(nothing -> draws.between(-1, 1));
        return Filters.gaussian(random, elastic.sigma, 3, Border.REFLECT)
                .map(value -> value * elastic.amplitude)
                .values();
    }

    /** The inverse of the affine map that moves three corners of a square in the middle at random. */
    private static Source affine(int width, int height, double most, Draws draws) {
        int middleX = width / 2;
        int middleY = height / 2;
        int reach = Math.max(1, Math.min(width, height) / 3);
        double[] x = {middleX + reach, middleX + reach, middleX - reach};
        double[] y = {middleY + reach, middleY - reach, middleY - reach};
        double[] toX = new double[3];
        double[] toY = new double[3];
        for (int i = 0; i < 3; i++) {
            toX[i] = x[i] + draws.between(-most, most);
            toY[i] = y[i] + draws.between(-most, most);
        }
        // Barycentric coordinates of a place among the moved corners are those of its source among the original ones.
        double area = cross(toX[1] - toX[0], toY[1] - toY[0], toX[2] - toX[0], toY[2] - toY[0]);
        double divisor = Math.abs(area) < 1 ? Math.copySign(1, area) : area; // three corners in a line have no inverse
        return (px, py, xy) -> {
            double b1 = cross(px - toX[0], py - toY[0], toX[2] - toX[0], toY[2] - toY[0]) / divisor;
            double b2 = cross(toX[1] - toX[0], toY[1] - toY[0], px - toX[0], py - toY[0]) / divisor;
            xy[0] = x[0] + b1 * (x[1] - x[0]) + b2 * (x[2] - x[0]);
            xy[1] = y[0] + b1 * (y[1] - y[0]) + b2 * (y[2] - y[0]);
        };
    }

    private static double cross(double ax, double ay, double bx, double by) {
        return ax * by - ay * bx;
    }

    /** Counter-clockwise about the centre; corners show mirrored pixels. */
    static Planes rotation(Planes image, int severity, Draws draws) {
        double angle = DEGREES[severity - 1] * Math.PI / 180;
        double cos = StrictMath.cos(angle);
        double sin = StrictMath.sin(angle);
        double middleX = (image.width() - 1) / 2.0;
        double middleY = (image.height() - 1) / 2.0;
        Source source = (x, y, xy) -> {
            xy[0] = middleX + cos * (x - middleX) - sin * (y - middleY);
            xy[1] = middleY + sin * (x - middleX) + cos * (y - middleY);
        };
        return image.each(plane -> moved(plane, source, Border.MIRROR));
    }

    /** The middle of the image, enlarged. */
    static Planes enlarged(Planes image, int severity, Draws draws) {
        return scaled(image, ENLARGEMENT[severity - 1]);
    }

    /** The image reduced and continued by its mirror images. A Gaussian before it prevents aliasing. */
    static Planes reduced(Planes image, int severity, Draws draws) {
        double factor = REDUCTION[severity - 1];
        double sigma = .5 * Math.sqrt(1 / (factor * factor) - 1);
        return scaled(image.each(plane -> Filters.gaussian(plane, sigma, 4, Border.MIRROR)), factor);
    }

    private static Planes scaled(Planes image, double factor) {
        double middleX = (image.width() - 1) / 2.0;
        double middleY = (image.height() - 1) / 2.0;
        Source source = (x, y, xy) -> {
            xy[0] = middleX + (x - middleX) / factor;
            xy[1] = middleY + (y - middleY) / factor;
        };
        return image.each(plane -> moved(plane, source, Border.MIRROR));
    }

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
