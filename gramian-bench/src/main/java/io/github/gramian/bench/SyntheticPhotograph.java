package io.github.gramian.bench;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.FileImageOutputStream;

/** A texture with structures of many lengths, as hard to decode as a photograph of many megapixels. */
final class SyntheticPhotograph {

    private static final float QUALITY = 0.9f;

    /** Lengths of the structures, in pixels; each contributes in proportion to its length, as in nature. */
    private static final int[] LENGTHS = {512, 128, 32, 8, 3};

    private SyntheticPhotograph() {}

    static void write(Path file, int width, int height, SplittableRandom random) throws IOException {
        save(draw(width, height, random), file);
    }

    /** Noise of several lengths, brightness and two colours apart, and grain. */
    private static BufferedImage draw(int width, int height, SplittableRandom random) {
        float[] light = new float[width * height];
        float[] warmth = new float[width * height];
        for (int length : LENGTHS) {
            double weight = Math.sqrt(length) * 3;
            add(light, width, height, length, weight, random);
            if (length > 8) {
                add(warmth, width, height, length, weight, random);
            }
        }
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        int[] pixels = ((DataBufferInt) image.getRaster().getDataBuffer()).getData();
        for (int i = 0; i < pixels.length; i++) {
            float bright = 128 + light[i] + random.nextInt(-4, 5);
            pixels[i] = level(bright + warmth[i]) << 16 | level(bright) << 8 | level(bright - warmth[i]);
        }
        return image;
    }

    /** Random values on a grid, between them interpolated. */
    private static void add(float[] field, int width, int height, int length, double weight, SplittableRandom random) {
        int columns = width / length + 2;
        float[] grid = new float[columns * (height / length + 2)];
        for (int i = 0; i < grid.length; i++) {
            grid[i] = (float) (weight * (random.nextDouble() - 0.5));
        }
        for (int y = 0; y < height; y++) {
            float down = (float) (y % length) / length;
            int row = y / length * columns;
            for (int x = 0; x < width; x++) {
                float right = (float) (x % length) / length;
                int at = row + x / length;
                float above = grid[at] + right * (grid[at + 1] - grid[at]);
                float below = grid[at + columns] + right * (grid[at + columns + 1] - grid[at + columns]);
                field[y * width + x] += above + down * (below - above);
            }
        }
    }

    private static int level(float value) {
        return Math.max(0, Math.min(255, Math.round(value)));
    }

    private static void save(BufferedImage image, Path file) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        try (FileImageOutputStream out = new FileImageOutputStream(file.toFile())) {
            ImageWriteParam settings = writer.getDefaultWriteParam();
            settings.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            settings.setCompressionQuality(QUALITY);
            writer.setOutput(out);
            writer.write(null, new IIOImage(image, null, null), settings);
        } finally {
            writer.dispose();
        }
    }
}
