package io.github.gramian.image.codec;

import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.util.Arrays;

/**
 * AWT's images as plain RGB, by their stored samples: no colour profile is applied, alpha is dropped, of 16 bits the
 * upper 8 count. That is what Pillow's {@code convert("RGB")} does, with which networks were trained.
 */
final class RasterPixels {

    private RasterPixels() {}

    static RgbImage toRgb(BufferedImage image, Cancellation cancellation) throws Refusal {
        ColorModel model = image.getColorModel();
        Raster raster = image.getRaster();
        int type = raster.getTransferType();
        if (type != DataBuffer.TYPE_BYTE && type != DataBuffer.TYPE_USHORT && type != DataBuffer.TYPE_INT) {
            throw Refusal.unsupported("samples are neither 8 nor 16 bits");
        }
        byte[] rgb = new byte[Math.multiplyExact(3, Math.multiplyExact(image.getWidth(), image.getHeight()))];
        if (model instanceof IndexColorModel palette) {
            fromPalette(raster, palette, rgb, cancellation);
        } else if (model.isAlphaPremultiplied() && model.hasAlpha()) {
            throughAwt(image, rgb, cancellation);
        } else {
            int space = model.getColorSpace().getType();
            int bands = raster.getNumBands();
            if (space == ColorSpace.TYPE_GRAY && bands <= 2) {
                fromSamples(raster, Layout.GREY, rgb, cancellation);
            } else if (space == ColorSpace.TYPE_RGB && (bands == 3 || bands == 4)) {
                fromSamples(raster, Layout.RGB, rgb, cancellation);
            } else if (space == ColorSpace.TYPE_CMYK && bands >= 4) {
                fromSamples(raster, Layout.CMYK, rgb, cancellation);
            } else {
                throughAwt(image, rgb, cancellation);
            }
        }
        return new RgbImage(image.getWidth(), image.getHeight(), rgb);
    }

    /** Pillow's conversion from CMYK to RGB: no profile, each ink dims its colour, black dims all. */
    static int inkToLight(int ink, int whiteness) {
        int product = ink * whiteness + 128;
        return whiteness - (((product >> 8) + product) >> 8);
    }

    private enum Layout {
        GREY,
        RGB,
        CMYK
    }

    private static void fromSamples(Raster raster, Layout layout, byte[] rgb, Cancellation cancellation)
            throws Refusal {
        int width = raster.getWidth();
        int bands = raster.getNumBands();
        int[] row = new int[width * bands];
        int[] bits = raster.getSampleModel().getSampleSize();
        boolean eight = Arrays.stream(bits).allMatch(size -> size == 8);
        int to = 0;
        for (int y = 0; y < raster.getHeight(); y++) {
            cancellation.check();
            raster.getPixels(raster.getMinX(), raster.getMinY() + y, width, 1, row);
            if (!eight) {
                toEightBits(row, bits);
            }
            for (int from = 0; from < row.length; from += bands) {
                switch (layout) {
                    case GREY -> {
                        byte grey = (byte) row[from];
                        rgb[to++] = grey;
                        rgb[to++] = grey;
                        rgb[to++] = grey;
                    }
                    case RGB -> {
                        rgb[to++] = (byte) row[from];
                        rgb[to++] = (byte) row[from + 1];
                        rgb[to++] = (byte) row[from + 2];
                    }
                    case CMYK -> {
                        int whiteness = 255 - row[from + 3];
                        rgb[to++] = (byte) inkToLight(row[from], whiteness);
                        rgb[to++] = (byte) inkToLight(row[from + 1], whiteness);
                        rgb[to++] = (byte) inkToLight(row[from + 2], whiteness);
                    }
                }
            }
        }
    }

    /** Bands may have different sizes: a BMP of 16 bits has 5 for red and blue, and often 6 for green. */
    private static void toEightBits(int[] row, int[] bits) {
        for (int i = 0; i < row.length; i++) {
            int size = bits[i % bits.length];
            row[i] = size > 8 ? row[i] >>> (size - 8) : row[i] * 255 / ((1 << size) - 1);
        }
    }

    private static void fromPalette(Raster raster, IndexColorModel palette, byte[] rgb, Cancellation cancellation)
            throws Refusal {
        int[] colours = new int[1 << 16];
        int[] known = new int[palette.getMapSize()];
        palette.getRGBs(known);
        System.arraycopy(known, 0, colours, 0, Math.min(known.length, colours.length));
        int[] row = new int[raster.getWidth()];
        int to = 0;
        for (int y = 0; y < raster.getHeight(); y++) {
            cancellation.check();
            raster.getPixels(raster.getMinX(), raster.getMinY() + y, row.length, 1, row);
            Arrays.setAll(row, x -> colours[row[x] & 0xFFFF]);
            to = put(rgb, to, row);
        }
    }

    private static void throughAwt(BufferedImage image, byte[] rgb, Cancellation cancellation) throws Refusal {
        int[] row = new int[image.getWidth()];
        int to = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            cancellation.check();
            image.getRGB(0, y, row.length, 1, row, 0, row.length);
            to = put(rgb, to, row);
        }
    }

    /** Appends a row of colours 0xRRGGBB; returns the place after it. */
    private static int put(byte[] rgb, int start, int[] colours) {
        int to = start;
        for (int colour : colours) {
            rgb[to++] = (byte) (colour >> 16);
            rgb[to++] = (byte) (colour >> 8);
            rgb[to++] = (byte) colour;
        }
        return to;
    }
}
