package io.github.gramian.image.codec;

import com.twelvemonkeys.imageio.plugins.jpeg.JPEGImageReaderSpi;
import com.twelvemonkeys.imageio.plugins.tiff.TIFFImageReaderSpi;
import com.twelvemonkeys.imageio.stream.ByteArrayImageInputStream;
import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadProgressListener;
import javax.imageio.spi.IIORegistry;
import javax.imageio.spi.ImageReaderSpi;
import javax.imageio.spi.ServiceRegistry;

/**
 * The ImageIO readers that are used, created explicitly. The global registry is asked only for the JDK's own: what
 * else is on the class path, and in which order, must not change a pixel. Input is an array, so ImageIO's cache files
 * are never created, whatever its global settings are.
 */
final class Readers {

    static final Readers SHARED = new Readers();

    private final ImageReaderSpi jpeg = jpegOverTheJdks();
    private final ImageReaderSpi tiff = new TIFFImageReaderSpi();
    private final ImageReaderSpi png = ofTheJdk("png");
    private final ImageReaderSpi bmp = ofTheJdk("bmp");

    private Readers() {}

    /** One call of a reader. */
    private interface Reading<T> {
        T by(ImageReader reader) throws IOException;
    }

    /** The stored samples: colours are not converted. */
    Raster jpeg(byte[] file, Predicate<String> fatalWarning, Cancellation cancellation) throws IOException, Refusal {
        return read(jpeg, file, cancellation, fatalWarning, reader -> reader.readRaster(0, null));
    }

    RgbImage tiff(byte[] file, Cancellation cancellation) throws IOException, Refusal {
        return toRgb(read(tiff, file, cancellation, warning -> false, reader -> reader.read(0)), cancellation);
    }

    RgbImage png(byte[] file, Cancellation cancellation) throws IOException, Refusal {
        return toRgb(read(png, file, cancellation, warning -> true, reader -> reader.read(0)), cancellation);
    }

    RgbImage bmp(byte[] file, Cancellation cancellation) throws IOException, Refusal {
        return toRgb(read(bmp, file, cancellation, warning -> true, reader -> reader.read(0)), cancellation);
    }

    private static <T> T read(
            ImageReaderSpi spi,
            byte[] file,
            Cancellation cancellation,
            Predicate<String> fatalWarning,
            Reading<T> reading)
            throws IOException, Refusal {
        ImageReader reader = spi.createReaderInstance();
        String[] fatal = new String[1];
        try (ByteArrayImageInputStream stream = new ByteArrayImageInputStream(file)) {
            reader.addIIOReadWarningListener((source, warning) -> {
                if (fatal[0] == null && fatalWarning.test(warning)) {
                    fatal[0] = warning;
                }
            });
            reader.addIIOReadProgressListener(new ProgressListener(() -> {
                if (cancellation.isRequested()) {
                    reader.abort();
                }
            }));
            reader.setInput(stream, true, true);
            T result = reading.by(reader);
            cancellation.check(); // an aborted reader returns the rows that it has
            if (fatal[0] != null) {
                boolean cutShort = fatal[0].startsWith("Truncated") || fatal[0].startsWith("Premature end");
                throw cutShort ? Refusal.truncated(fatal[0]) : Refusal.corrupt(fatal[0]);
            }
            return result;
        } finally {
            reader.dispose();
        }
    }

    /** TwelveMonkeys' JPEG reader needs the JDK's and looks it up in a registry. This one has a separate registry. */
    private static ImageReaderSpi jpegOverTheJdks() {
        ServiceRegistry registry =
                new ServiceRegistry(List.<Class<?>>of(ImageReaderSpi.class).iterator());
        registry.registerServiceProvider(ofTheJdk("jpeg"), ImageReaderSpi.class);
        JPEGImageReaderSpi spi = new JPEGImageReaderSpi();
        registry.registerServiceProvider(spi, ImageReaderSpi.class);
        return spi;
    }

    private static ImageReaderSpi ofTheJdk(String format) {
        Iterator<ImageReaderSpi> all =
                IIORegistry.getDefaultInstance().getServiceProviders(ImageReaderSpi.class, false);
        while (all.hasNext()) {
            ImageReaderSpi spi = all.next();
            if (spi.getClass().getModule().getName() != null
                    && spi.getClass().getModule().getName().equals("java.desktop")
                    && List.of(spi.getFormatNames()).contains(format)) {
                return spi;
            }
        }
        throw new IllegalStateException("this Java has no " + format
                + " reader; use a runtime with the module java.desktop (a headless one is enough)");
    }

    /**
     * AWT's images as plain RGB, by their stored samples: no colour profile is applied, alpha is dropped, of 16 bits the
     * upper 8 count. That is what Pillow's {@code convert("RGB")} does, with which networks were trained.
     */
    private static RgbImage toRgb(BufferedImage image, Cancellation cancellation) throws Refusal {
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

    /** Runs an action whenever a reader reports progress, which is after about every row. */
    record ProgressListener(Runnable action) implements IIOReadProgressListener {

        @Override
        public void imageProgress(ImageReader source, float percentageDone) {
            action.run();
        }

        @Override
        public void imageStarted(ImageReader source, int imageIndex) {
            action.run();
        }

        @Override
        public void sequenceStarted(ImageReader source, int minIndex) {}

        @Override
        public void sequenceComplete(ImageReader source) {}

        @Override
        public void imageComplete(ImageReader source) {}

        @Override
        public void thumbnailStarted(ImageReader source, int imageIndex, int thumbnailIndex) {}

        @Override
        public void thumbnailProgress(ImageReader source, float percentageDone) {}

        @Override
        public void thumbnailComplete(ImageReader source) {}

        @Override
        public void readAborted(ImageReader source) {}
    }
}
