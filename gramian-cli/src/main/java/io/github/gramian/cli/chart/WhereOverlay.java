package io.github.gramian.cli.chart;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.model.explain.internal.Explanation;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * Where a model looked, painted over the image: the photograph in grey, and over it a colour from dark purple to light yellow
 * that becomes lighter and more opaque with the contribution. Lightness alone carries the map, so it can be read with any
 * colour vision and in a grey print. Only positive contributions are painted.
 */
public final class WhereOverlay {

    /** The scale of the pages: black over magenta to light yellow, evenly lighter. */
    private static final int[][] STOPS = {{21, 14, 55}, {89, 21, 126}, {183, 55, 121}, {251, 136, 97}, {252, 253, 191}};

    /** Contributions below this share of the largest are left out: they are mostly noise. */
    private static final double FAINTEST = 0.1;

    private static final double STRONGEST_COVER = 0.8;

    private WhereOverlay() {}

    /** One sentence that explains the colours. */
    public static String legend(Explanation explanation) {
        return explanation.largest() > 0
                ? "Bright areas raised the score of " + explanation.className() + "; grey areas did not."
                : "No area raised the score of " + explanation.className() + ".";
    }

    /** The picture with the map over it, in the size of the picture. */
    public static BufferedImage paint(Explanation explanation) {
        RgbImage picture = explanation.picture();
        float[][] map = explanation.contributions();
        double largest = explanation.largest();
        BufferedImage raster = new BufferedImage(picture.width(), picture.height(), BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < picture.height(); y++) {
            for (int x = 0; x < picture.width(); x++) {
                double value =
                        largest > 0 ? at(map, (y + 0.5) / picture.height(), (x + 0.5) / picture.width()) / largest : 0;
                raster.setRGB(x, y, mixed(grey(picture, x, y), Math.max(0, Math.min(1, value))));
            }
        }
        return raster;
    }

    /** The same as the bytes of a PNG file. */
    public static byte[] png(Explanation explanation) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        // In memory: by itself, ImageIO takes a temporary file, which a killed process leaves and a full disk refuses.
        try (ImageOutputStream memory = new MemoryCacheImageOutputStream(bytes)) {
            ImageIO.write(paint(explanation), "png", memory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static int grey(RgbImage picture, int x, int y) {
        return (299 * picture.sample(x, y, 0) + 587 * picture.sample(x, y, 1) + 114 * picture.sample(x, y, 2)) / 1000;
    }

    private static int mixed(int grey, double value) {
        double cover = value < FAINTEST ? 0 : STRONGEST_COVER * Math.sqrt((value - FAINTEST) / (1 - FAINTEST));
        int colour = colour(value);
        int mixed = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            mixed = mixed << 8 | (int) Math.round((1 - cover) * grey + cover * (colour >> shift & 0xFF));
        }
        return mixed;
    }

    /** The colour of a value from 0 to 1, as red, green and blue. */
    public static int colour(double value) {
        double place = value * (STOPS.length - 1);
        int low = (int) Math.min(STOPS.length - 2, Math.floor(place));
        int colour = 0;
        for (int c = 0; c < 3; c++) {
            colour =
                    colour << 8 | (int) Math.round(STOPS[low][c] + (place - low) * (STOPS[low + 1][c] - STOPS[low][c]));
        }
        return colour;
    }

    /** Bilinear between the centres of cells; beyond the outermost centres, the value of the cell. */
    private static double at(float[][] map, double down, double across) {
        double y = Math.max(0, Math.min(map.length - 1, down * map.length - 0.5));
        double x = Math.max(0, Math.min(map[0].length - 1, across * map[0].length - 0.5));
        int top = (int) Math.min(Math.max(0, map.length - 2), Math.floor(y));
        int left = (int) Math.min(Math.max(0, map[0].length - 2), Math.floor(x));
        int bottom = Math.min(map.length - 1, top + 1);
        int right = Math.min(map[0].length - 1, left + 1);
        double upper = map[top][left] + (x - left) * (map[top][right] - map[top][left]);
        double lower = map[bottom][left] + (x - left) * (map[bottom][right] - map[bottom][left]);
        return upper + (y - top) * (lower - upper);
    }
}
