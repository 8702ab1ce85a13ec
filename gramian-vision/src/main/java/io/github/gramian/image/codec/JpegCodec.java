package io.github.gramian.image.codec;

import java.awt.image.DataBufferByte;
import java.awt.image.PixelInterleavedSampleModel;
import java.awt.image.Raster;
import java.io.IOException;
import javax.imageio.ImageReader;

/** JPEG: baseline and progressive, grey, YCbCr, RGB, CMYK and YCCK, with 8 bits. */
final class JpegCodec implements Codec {

    @Override
    public Size size(byte[] file) throws Refusal {
        return JpegMarkers.toFrame(file).size();
    }

    @Override
    public RgbImage decode(byte[] file) throws Refusal, IOException {
        JpegMarkers markers = JpegMarkers.all(file);
        JpegColour colour = markers.colour();
        // The raster, not the image: the reader would apply colour profiles, and guesses colours unlike libjpeg does.
        Raster raster =
                Readers.SHARED.jpeg(file, JpegCodec::isFatal, (ImageReader reader) -> reader.readRaster(0, null));
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
