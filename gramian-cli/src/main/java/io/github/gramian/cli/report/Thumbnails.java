package io.github.gramian.cli.report;

import io.github.gramian.image.Interpolation;
import io.github.gramian.image.codec.Decoded;
import io.github.gramian.image.codec.ImageDecoder;
import io.github.gramian.image.codec.ImageDecoder.Reduction;
import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.internal.Resampler;
import java.awt.Image;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import javax.imageio.ImageIO;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/** Small copies of a run's images, as addresses that carry the picture themselves. */
public final class Thumbnails {

    private static final int LONGER_SIDE = 160;

    private final String root;
    private final ImageDecoder decoder = ImageDecoder.forLocalFiles();
    private final Resampler resampler = new Resampler(Interpolation.BICUBIC);

    /** Images are looked for below this folder and nowhere else. */
    public Thumbnails(String root) {
        this.root = root;
    }

    /** A JPEG of at most 160 pixels a side; nothing if the file is gone, broken, or lies outside of the folder. */
    public Optional<String> of(String id) {
        return file(id).map(file -> decoder.decode(file, Thumbnails::reduction))
                .flatMap(decoded -> decoded instanceof Decoded.Picture picture
                        ? Optional.of(address(picture.image()))
                        : Optional.empty());
    }

    private static int reduction(int width, int height) {
        return Reduction.leaving(Math.max(width, height), Math.max(width, height), LONGER_SIDE, LONGER_SIDE);
    }

    /** The file of an image; nothing if it would lie outside of the folder. */
    Optional<Path> file(String id) {
        if (root.isBlank() || id.isBlank()) {
            return Optional.empty();
        }
        try {
            Path folder = Path.of(root).toAbsolutePath().normalize();
            Path file = folder.resolve(id).normalize();
            return file.startsWith(folder) ? Optional.of(file) : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private String address(RgbImage image) {
        double factor = Math.min(1, LONGER_SIDE / (double) Math.max(image.width(), image.height()));
        int width = (int) Math.max(1, Math.round(factor * image.width()));
        int height = (int) Math.max(1, Math.round(factor * image.height()));
        return dataAddress(raster(resampler.resize(image, width, height)), "jpeg");
    }

    /** The image as the JDK's writers take it. */
    public static BufferedImage raster(RgbImage image) {
        BufferedImage raster = new BufferedImage(image.width(), image.height(), BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < image.height(); y++) {
            for (int x = 0; x < image.width(); x++) {
                raster.setRGB(x, y, image.sample(x, y, 0) << 16 | image.sample(x, y, 1) << 8 | image.sample(x, y, 2));
            }
        }
        return raster;
    }

    /** A copy whose longer side has the given length. */
    static BufferedImage reduced(BufferedImage whole, int side) {
        double factor = side / (double) Math.max(whole.getWidth(), whole.getHeight());
        int width = (int) Math.max(1, Math.round(factor * whole.getWidth()));
        int height = (int) Math.max(1, Math.round(factor * whole.getHeight()));
        BufferedImage small = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Image scaled = whole.getScaledInstance(width, height, Image.SCALE_AREA_AVERAGING);
        small.getGraphics().drawImage(scaled, 0, 0, null);
        return small;
    }

    /** The picture as a {@code data:} address. */
    public static String dataAddress(BufferedImage raster, String format) {
        return encoded(raster, format)
                .map(bytes -> "data:image/" + format + ";base64,"
                        + Base64.getEncoder().encodeToString(bytes))
                .orElse("");
    }

    /** The picture as the bytes of a file. */
    public static Optional<byte[]> encoded(BufferedImage raster, String format) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        // In memory: by itself, ImageIO takes a temporary file, which a killed process leaves and a full disk refuses.
        try (ImageOutputStream memory = new MemoryCacheImageOutputStream(bytes)) {
            if (!ImageIO.write(raster, format, memory)) {
                return Optional.empty();
            }
        } catch (IOException e) {
            return Optional.empty();
        }
        return Optional.of(bytes.toByteArray());
    }
}
