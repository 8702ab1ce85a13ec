package io.github.gramian.bench.measure;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.Resize;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.ImageFormat;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.ImageSource;
import io.github.gramian.image.internal.Resampler;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * The baseline of photographs: every pixel decoded by the JDK's reader, then all of the image resized. Images come out in the
 * size that a preprocessing resizes to, so that it only cuts.
 *
 * @param files JPEGs in colour
 * @param shortSide that they are resized to
 */
record JdkJpeg(List<Path> files, int shortSide) implements ImageSource {

    @Override
    public int count() {
        return files.size();
    }

    @Override
    public Decoded load(int index, Reduction reduction) {
        try {
            RgbImage image = decode(Files.readAllBytes(files.get(index)));
            Resize resize = new Resize.ShortSide(shortSide);
            int width = resize.widthOf(image.width(), image.height());
            int height = resize.heightOf(image.width(), image.height());
            return new Decoded.Picture(
                    new Resampler(Interpolation.BILINEAR).resize(image, width, height), ImageFormat.JPEG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RgbImage decode(byte[] file) throws IOException {
        ImageReader reader = ImageIO.getImageReadersByFormatName("jpeg").next();
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
            reader.setInput(in, true, true);
            Raster raster = reader.readRaster(0, null);
            return rgb(((DataBufferByte) raster.getDataBuffer()).getData(), raster.getWidth(), raster.getHeight());
        } finally {
            reader.dispose();
        }
    }

    /** From YCbCr, in the fixed-point arithmetic of libjpeg. */
    private static RgbImage rgb(byte[] samples, int width, int height) {
        byte[] rgb = new byte[samples.length];
        for (int i = 0; i < samples.length; i += 3) {
            int y = samples[i] & 0xFF;
            int blue = (samples[i + 1] & 0xFF) - 128;
            int red = (samples[i + 2] & 0xFF) - 128;
            rgb[i] = clamp(y + ((91_881 * red + 32_768) >> 16));
            rgb[i + 1] = clamp(y + ((-46_802 * red - 22_554 * blue + 32_768) >> 16));
            rgb[i + 2] = clamp(y + ((116_130 * blue + 32_768) >> 16));
        }
        return new RgbImage(width, height, rgb);
    }

    private static byte clamp(int value) {
        return (byte) Math.max(0, Math.min(255, value));
    }
}
