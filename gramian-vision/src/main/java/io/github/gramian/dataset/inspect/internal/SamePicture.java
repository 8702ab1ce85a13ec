package io.github.gramian.dataset.inspect.internal;

import io.github.gramian.image.codec.RgbImage;

/**
 * What is compared of an image to confirm that another shows the same picture: re-encoded, resized, or a part of it. Two images
 * show the same if thumbnails of them correlate strongly, either as a whole or inside a window of one of them.
 */
public final class SamePicture {

    /** The strongest correlation of copies is near 1; docs/similar.md says what this number finds and misses. */
    public static final double MIN_CORRELATION = 0.92;

    private static final int DETAIL = 96;
    private static final int COARSE = 32;

    /** Below this correlation of coarse thumbnails, a closer look at a window is of no use. */
    private static final double MIN_COARSE = 0.6;

    private static final int COARSE_SAMPLES = 12;
    private static final int FINE_SAMPLES = 48;

    /** Windows that are tried: shares of the width and height of the larger picture. */
    private static final double[] SHARES = {1, 0.9, 0.8, 0.7, 0.6};

    private static final double OFFSET_STEP = 0.05;
    private static final double[] REFINEMENTS = {0.03, 0.015, 0.007, 0.0035};
    private static final int MAX_MOVES = 12;

    private final GreyThumbnail fine;
    private final GreyThumbnail coarse;

    private SamePicture(GreyThumbnail fine, GreyThumbnail coarse) {
        this.fine = fine;
        this.coarse = coarse;
    }

    /** The thumbnails of an image. */
    public static SamePicture of(RgbImage image) {
        return new SamePicture(GreyThumbnail.of(image, DETAIL), GreyThumbnail.of(image, COARSE));
    }

    /** A part of a picture, as shares of its width and height. */
    private record Window(double x, double y, double width, double height) {

        Window moved(int parameter, double by) {
            return new Window(
                    x + (parameter == 0 ? by : 0),
                    y + (parameter == 1 ? by : 0),
                    width + (parameter == 2 ? by : 0),
                    height + (parameter == 3 ? by : 0));
        }

        boolean fits() {
            return x >= 0 && y >= 0 && width > 0.3 && height > 0.3 && x + width <= 1 + 1e-9 && y + height <= 1 + 1e-9;
        }
    }

    /** How strongly two pictures correlate, −1 to 1: the largest value of all windows of either. 0 if one is blank. */
    public double correlation(SamePicture other) {
        double whole = fine.correlation(other.fine);
        if (whole >= MIN_CORRELATION) {
            return whole;
        }
        return Math.max(whole, Math.max(contains(other), other.contains(this)));
    }

    /** The correlation of a picture with the window of this one that resembles it most. */
    private double contains(SamePicture part) {
        Window best = new Window(0, 0, 1, 1);
        double most = -1;
        for (double share : SHARES) {
            for (double x = 0; x <= 1 - share + 1e-9; x += OFFSET_STEP) {
                for (double y = 0; y <= 1 - share + 1e-9; y += OFFSET_STEP) {
                    Window window = new Window(x, y, share, share);
                    double correlation = correlation(coarse, COARSE, window, part.coarse, COARSE_SAMPLES);
                    if (correlation > most) {
                        most = correlation;
                        best = window;
                    }
                }
            }
        }
        return most < MIN_COARSE ? most : refined(best, part);
    }

    private double refined(Window start, SamePicture part) {
        Window best = start;
        double most = correlation(fine, DETAIL, best, part.fine, FINE_SAMPLES);
        for (double step : REFINEMENTS) {
            boolean improved = true;
            for (int move = 0; improved && move < MAX_MOVES; move++) {
                improved = false;
                for (int parameter = 0; parameter < 4; parameter++) {
                    for (double by : new double[] {step, -step}) {
                        Window window = best.moved(parameter, by);
                        double correlation =
                                window.fits() ? correlation(fine, DETAIL, window, part.fine, FINE_SAMPLES) : -1;
                        if (correlation > most) {
                            most = correlation;
                            best = window;
                            improved = true;
                        }
                    }
                }
            }
        }
        return most;
    }

    /** Pearson's correlation of samples of a window with samples of a whole thumbnail of the same size. */
    private static double correlation(GreyThumbnail large, int side, Window window, GreyThumbnail part, int samples) {
        double sumA = 0;
        double sumB = 0;
        double squareA = 0;
        double squareB = 0;
        double product = 0;
        int count = samples * samples;
        for (int row = 0; row < samples; row++) {
            double v = (row + 0.5) / samples;
            for (int column = 0; column < samples; column++) {
                double u = (column + 0.5) / samples;
                double a = level(large, side, window.x() + u * window.width(), window.y() + v * window.height());
                double b = level(part, side, u, v);
                sumA += a;
                sumB += b;
                squareA += a * a;
                squareB += b * b;
                product += a * b;
            }
        }
        double varianceA = squareA - sumA * sumA / count;
        double varianceB = squareB - sumB * sumB / count;
        // Levels of a blank picture differ by rounding only.
        if (varianceA < count || varianceB < count) {
            return 0;
        }
        return (product - sumA * sumB / count) / Math.sqrt(varianceA * varianceB);
    }

    /** Interpolated between the four nearest cells. */
    private static double level(GreyThumbnail thumbnail, int side, double u, double v) {
        double x = Math.max(0, Math.min(side - 1, u * side - 0.5));
        double y = Math.max(0, Math.min(side - 1, v * side - 0.5));
        int left = Math.min((int) x, side - 2);
        int top = Math.min((int) y, side - 2);
        double dx = x - left;
        double dy = y - top;
        int at = top * side + left;
        double above = thumbnail.level(at) * (1 - dx) + thumbnail.level(at + 1) * dx;
        double below = thumbnail.level(at + side) * (1 - dx) + thumbnail.level(at + side + 1) * dx;
        return above * (1 - dy) + below * dy;
    }
}
