package io.github.gramian.cli.report;

import java.awt.image.BufferedImage;
import java.util.Arrays;

/**
 * A matrix as a picture. Without negative numbers the colours run from dark blue to yellow, which differ in lightness
 * too; with negative ones from blue over white at 0 to red.
 */
public final class HeatMap {

    private static final int[] FROM_LOW_TO_HIGH = {0x00224e, 0x2a3f6d, 0x575d6d, 0x7d7c78, 0xa59c74, 0xd2c060, 0xfee838
    };
    private static final int[] AROUND_ZERO = {0x053061, 0x2f79b5, 0x9bc9e0, 0xf7f7f7, 0xf5ac8b, 0xc53e3d, 0x67001f};
    private static final int UNKNOWN = 0x808080;

    private final double[][] values;
    private final double low;
    private final double high;
    private final boolean aroundZero;

    public HeatMap(double[][] values) {
        this.values = values;
        double[] known = Arrays.stream(values)
                .flatMapToDouble(Arrays::stream)
                .filter(Double::isFinite)
                .toArray();
        double least = Arrays.stream(known).min().orElse(0);
        double most = Arrays.stream(known).max().orElse(0);
        // Rounding leaves tiny negative numbers in a matrix that has none.
        this.aroundZero = least < -0.02 * Math.abs(most);
        double reach = Math.max(Math.abs(least), Math.abs(most));
        this.low = aroundZero ? -reach : least;
        this.high = aroundZero ? reach : most;
    }

    public double low() {
        return low;
    }

    public double high() {
        return high;
    }

    /** The name of the colour scale in the style sheet. */
    public String scaleStyle() {
        return aroundZero ? "around" : "rising";
    }

    /** One pixel for each number; an empty string for an empty matrix. */
    public String address() {
        int height = values.length;
        int width = Arrays.stream(values).mapToInt(row -> row.length).max().orElse(0);
        if (width == 0) {
            return "";
        }
        BufferedImage raster = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                raster.setRGB(x, y, x < values[y].length ? colour(values[y][x]) : UNKNOWN);
            }
        }
        return Thumbnails.dataAddress(raster, "png");
    }

    private int colour(double value) {
        if (!Double.isFinite(value)) {
            return UNKNOWN;
        }
        int[] stops = aroundZero ? AROUND_ZERO : FROM_LOW_TO_HIGH;
        double place = high > low ? (value - low) / (high - low) * (stops.length - 1) : 0;
        int left = (int) Math.min(stops.length - 2, Math.floor(place));
        double share = place - left;
        int mixed = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            double from = stops[left] >> shift & 0xFF;
            double to = stops[left + 1] >> shift & 0xFF;
            mixed |= (int) Math.round(from + share * (to - from)) << shift;
        }
        return mixed;
    }
}
