package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.corruption.internal.Planes.Plane;
import io.github.gramian.image.corruption.internal.Planes.Plane.Border;

/** Convolutions. */
final class Filters {

    private Filters() {}

    /** A Gaussian that is cut off at {@code truncate} standard deviations, in both directions one after the other. */
    static Plane gaussian(Plane plane, double sigma, double truncate, Border border) {
        double[] kernel = bell(sigma, (int) (truncate * sigma + 0.5));
        return columns(rows(plane, kernel, border), kernel, border);
    }

    /** Values of a Gaussian at −radius..radius, with the sum 1. */
    static double[] bell(double sigma, int radius) {
        double[] kernel = new double[2 * radius + 1];
        double sum = 0;
        for (int i = -radius; i <= radius; i++) {
            kernel[i + radius] = StrictMath.exp(-0.5 * i * i / (sigma * sigma));
            sum += kernel[i + radius];
        }
        for (int i = 0; i < kernel.length; i++) {
            kernel[i] /= sum;
        }
        return kernel;
    }

    /** Each row is extended once, so that the inner loop needs no border. */
    static Plane rows(Plane plane, double[] kernel, Border border) {
        int width = plane.width();
        int radius = kernel.length / 2;
        double[] filtered = new double[plane.values().length];
        double[] extended = new double[width + 2 * radius];
        for (int y = 0; y < plane.height(); y++) {
            for (int x = 0; x < extended.length; x++) {
                extended[x] = plane.at(border.index(x - radius, width), y);
            }
            for (int x = 0; x < width; x++) {
                filtered[y * width + x] = dot(kernel, extended, x);
            }
        }
        return new Plane(width, plane.height(), filtered);
    }

    static Plane columns(Plane plane, double[] kernel, Border border) {
        int width = plane.width();
        int height = plane.height();
        int radius = kernel.length / 2;
        double[] filtered = new double[plane.values().length];
        double[] extended = new double[height + 2 * radius];
        for (int x = 0; x < width; x++) {
            for (int y = 0; y < extended.length; y++) {
                extended[y] = plane.at(x, border.index(y - radius, height));
            }
            for (int y = 0; y < height; y++) {
                filtered[y * width + x] = dot(kernel, extended, y);
            }
        }
        return new Plane(width, height, filtered);
    }

    private static double dot(double[] kernel, double[] values, int offset) {
        double sum = 0;
        for (int i = 0; i < kernel.length; i++) {
            sum += kernel[i] * values[offset + i];
        }
        return sum;
    }

    /** A square kernel of odd size, centred. Zeros of the kernel cost nothing. */
    static Plane correlate(Plane plane, Plane kernel, Border border) {
        int radius = kernel.width() / 2;
        int width = plane.width();
        int height = plane.height();
        double[] filtered = new double[plane.values().length];
        int[] columns = new int[width];
        for (int dy = -radius; dy <= radius; dy++) {
            for (int dx = -radius; dx <= radius; dx++) {
                double weight = kernel.at(dx + radius, dy + radius);
                if (weight == 0) {
                    continue;
                }
                for (int x = 0; x < width; x++) {
                    columns[x] = border.index(x + dx, width);
                }
                for (int y = 0; y < height; y++) {
                    int row = border.index(y + dy, height) * width;
                    for (int x = 0; x < width; x++) {
                        filtered[y * width + x] += weight * plane.values()[row + columns[x]];
                    }
                }
            }
        }
        return new Plane(width, height, filtered);
    }
}
