package io.github.gramian.image.codec;

import io.github.gramian.image.codec.ImageDecoder.Reduction;
import java.awt.image.DataBufferByte;
import java.awt.image.PixelInterleavedSampleModel;
import java.awt.image.Raster;
import java.io.IOException;
import java.util.Optional;

/**
 * JPEG: baseline and progressive, grey, YCbCr, RGB, CMYK and YCCK, with 8 bits.
 *
 * <p>libjpeg-turbo decodes grey and colour, reduced on request. Four inks, and files that it would refuse or
 * warn about, go to the JDK's reader, always in full: it reports what is wrong with them, and whether it matters.
 */
final class JpegCodec implements Codec {

    private static final int FULL_DECODING_PASSES = 8;

    @Override
    public Size size(byte[] file) throws Refusal {
        return JpegMarkers.toFrame(file).size();
    }

    /** A scan of a progressive image may visit every pixel, and an image that is decoded in full costs more than a scan. */
    @Override
    public int passes(byte[] file) throws Refusal {
        JpegMarkers markers = JpegMarkers.all(file);
        return markers.scans() + (isForLibjpegTurbo(markers) ? 0 : FULL_DECODING_PASSES);
    }

    @Override
    public RgbImage decode(byte[] file, Reduction reduction, Cancellation cancellation) throws Refusal, IOException {
        JpegMarkers markers = JpegMarkers.all(file);
        if (isForLibjpegTurbo(markers)) {
            int by = reductionOf(markers, reduction);
            Optional<RgbImage> image = Leptonica.jpeg(file, by, markers.orientation());
            if (image.isPresent()) {
                markers.uprightSize().reduced(by).check(image.get());
                return image.get();
            }
            cancellation.check();
        }
        return withReasons(file, markers, cancellation);
    }

    private static boolean isForLibjpegTurbo(JpegMarkers markers) throws Refusal {
        return markers.isPlain() && markers.colour().components() < 4;
    }

    private static int reductionOf(JpegMarkers markers, Reduction reduction) {
        Size upright = markers.uprightSize();
        return reduction.of((int) upright.width(), (int) upright.height());
    }

    private static RgbImage withReasons(byte[] file, JpegMarkers markers, Cancellation cancellation)
            throws Refusal, IOException {
        JpegColour colour = markers.colour();
        // The raster, not the image: the reader would apply colour profiles, and guesses colours unlike libjpeg does.
        Raster raster = Readers.SHARED.jpeg(file, JpegCodec::isFatal, cancellation);
        if (!(raster.getDataBuffer() instanceof DataBufferByte samples)
                || !(raster.getSampleModel() instanceof PixelInterleavedSampleModel layout)
                || layout.getNumBands() != colour.components()
                || layout.getScanlineStride() != raster.getWidth() * colour.components()) {
            throw Refusal.unsupported("the samples are laid out in an unknown way");
        }
        RgbImage image = colour.toRgb(samples.getData(), raster.getWidth(), raster.getHeight());
        markers.size().check(image);
        return markers.orientation().apply(image);
    }

    /**
     * libjpeg fills what is missing with grey and only warns. Bytes between segments and odd version numbers do no harm;
     * every other warning means that pixels were invented by the decoder.
     */
    private static boolean isFatal(String warning) {
        return warning.contains("Truncated")
                || warning.startsWith("Premature end")
                || warning.startsWith("Inconsistent progression")
                || (warning.startsWith("Corrupt JPEG data") && !warning.contains("extraneous bytes"));
    }
}
