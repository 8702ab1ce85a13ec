package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.corruption.internal.Planes.Plane;
import io.github.gramian.image.corruption.internal.Planes.Plane.Border;
import java.util.ArrayList;
import java.util.List;

/** Blur of a lens, a window, a moving camera. */
final class Blur {

    private static final int[] DISK_RADIUS = {3, 4, 6, 8, 10};
    private static final double[] DISK_SOFTNESS = {.1, .5, .5, .5, .5};

    private static final double[] GLASS_SIGMA = {.7, .9, 1, 1.1, 1.5};
    private static final int[] GLASS_DISTANCE = {1, 2, 2, 3, 4};
    private static final int[] GLASS_ROUNDS = {2, 1, 3, 2, 2};

    private static final int[] MOTION_RADIUS = {10, 15, 15, 15, 20};
    private static final double[] MOTION_SIGMA = {3, 5, 8, 12, 15};

    private static final double[] ZOOM_END = {1.11, 1.16, 1.21, 1.26, 1.31};
    private static final double[] ZOOM_STEP = {.01, .01, .02, .02, .03};

    private Blur() {}

    /** Out of focus: each point becomes a disk. */
    static Planes defocus(Planes image, int severity, Draws draws) {
        Plane disk = disk(DISK_RADIUS[severity - 1], DISK_SOFTNESS[severity - 1]);
        return image.each(plane -> Filters.correlate(plane, disk, Border.MIRROR));
    }

    /** A disk with the sum 1 whose edge is softened by a small Gaussian. */
    private static Plane disk(int radius, double softness) {
        int half = Math.max(8, radius);
        int size = 2 * half + 1;
        double[] values = new double[size * size];
        int inside = 0;
        for (int y = -half; y <= half; y++) {
            for (int x = -half; x <= half; x++) {
                if (x * x + y * y <= radius * radius) {
                    values[(y + half) * size + x + half] = 1;
                    inside++;
                }
            }
        }
        double sum = inside;
        double[] edge = Filters.bell(softness, radius <= 8 ? 1 : 2);
        Plane hard = new Plane(size, size, values).map(value -> value / sum);
        return Filters.columns(Filters.rows(hard, edge, Border.MIRROR), edge, Border.MIRROR);
    }

    /** Frosted glass: each pixel takes the colour of a random neighbour, between two slight blurs. */
    static Planes glass(Planes image, int severity, Draws draws) {
        double sigma = GLASS_SIGMA[severity - 1];
        int distance = GLASS_DISTANCE[severity - 1];
        int width = image.width();
        int height = image.height();
        Planes shuffled = image.each(
                plane -> Filters.gaussian(plane, sigma, 4, Border.NEAREST).truncated());
        for (int round = 0; round < GLASS_ROUNDS[severity - 1]; round++) {
            // The published program assigns views of one array, so its exchange of two pixels is a copy of one.
            for (int y = height - distance; y > distance; y--) {
                for (int x = width - distance; x > distance; x--) {
                    int fromX = x + draws.integer(-distance, distance);
                    int fromY = y + draws.integer(-distance, distance);
                    for (int c = 0; c < 3; c++) {
                        double[] own = shuffled.values(c);
                        own[y * width + x] = own[fromY * width + fromX];
                    }
                }
            }
        }
        return shuffled.each(plane -> Filters.gaussian(plane, sigma, 4, Border.NEAREST));
    }

    /** The camera moves in a random direction, at most 45° from horizontal. */
    static Planes motion(Planes image, int severity, Draws draws) {
        double angle = draws.between(-45, 45);
        return image.each(plane -> alongLine(plane, MOTION_RADIUS[severity - 1], MOTION_SIGMA[severity - 1], angle));
    }

    /** Half of a Gaussian along a line of 2·radius + 1 pixels, rounded to pixels as ImageMagick's motion blur does. */
    static Plane alongLine(Plane plane, int radius, double sigma, double degrees) {
        int length = 2 * radius + 1;
        double[] bell = Filters.bell(sigma, length - 1);
        double sum = 0;
        for (int i = 0; i < length; i++) {
            sum += bell[length - 1 + i];
        }
        double angle = degrees * Math.PI / 180;
        int width = plane.width();
        int height = plane.height();
        double[] blurred = new double[plane.values().length];
        for (int i = 0; i < length; i++) {
            double weight = bell[length - 1 + i] / sum;
            int dx = (int) Math.ceil(i * StrictMath.cos(angle) - 0.5);
            int dy = (int) Math.ceil(i * StrictMath.sin(angle) - 0.5);
            for (int y = 0; y < height; y++) {
                int fromY = Border.NEAREST.index(y + dy, height);
                for (int x = 0; x < width; x++) {
                    blurred[y * width + x] += weight * plane.at(Border.NEAREST.index(x + dx, width), fromY);
                }
            }
        }
        return new Plane(width, height, blurred);
    }

    /** The camera moves forward: the mean of the image at growing scales. */
    static Planes zoom(Planes image, int severity, Draws draws) {
        double step = ZOOM_STEP[severity - 1];
        int count = (int) Math.ceil((ZOOM_END[severity - 1] - 1) / step);
        return image.each(plane -> {
            List<Plane> scales = new ArrayList<>(List.of(plane));
            for (int i = 0; i < count; i++) {
                scales.add(Geometry.zoomed(plane, 1 + i * step));
            }
            double[] mean = new double[plane.values().length];
            for (Plane scale : scales) {
                for (int i = 0; i < mean.length; i++) {
                    mean[i] += scale.values()[i] / scales.size();
                }
            }
            return new Plane(plane.width(), plane.height(), mean);
        });
    }
}
