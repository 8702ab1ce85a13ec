package io.github.gramian.image.codec;

import com.twelvemonkeys.imageio.plugins.jpeg.JPEGImageReaderSpi;
import com.twelvemonkeys.imageio.plugins.tiff.TIFFImageReaderSpi;
import com.twelvemonkeys.imageio.stream.ByteArrayImageInputStream;
import java.awt.image.Raster;
import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import javax.imageio.ImageReader;
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
        return RasterPixels.toRgb(
                read(tiff, file, cancellation, warning -> false, reader -> reader.read(0)), cancellation);
    }

    RgbImage png(byte[] file, Cancellation cancellation) throws IOException, Refusal {
        return RasterPixels.toRgb(
                read(png, file, cancellation, warning -> true, reader -> reader.read(0)), cancellation);
    }

    RgbImage bmp(byte[] file, Cancellation cancellation) throws IOException, Refusal {
        return RasterPixels.toRgb(
                read(bmp, file, cancellation, warning -> true, reader -> reader.read(0)), cancellation);
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
}
