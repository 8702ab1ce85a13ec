package io.github.gramian.bench;

import io.github.gramian.io.internal.TemporaryFolder;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.FileImageOutputStream;

/** JPEG files to measure with, in a temporary directory that is deleted when closed. */
record SyntheticImages(TemporaryFolder folder, List<Path> files) implements AutoCloseable {

    /** Draws an image and writes it. */
    private interface Drawing {
        void write(Path file, int number) throws IOException;
    }

    /** The given number of small images. */
    static SyntheticImages write(int count) throws IOException {
        return write(count, (file, number) -> SmallPhoto.write(file, new Random(number)));
    }

    /** The given number of images of the size that telephones take. */
    static SyntheticImages photographs(int count, int width, int height) throws IOException {
        return write(count, (file, number) -> LargePhoto.write(file, width, height, new SplittableRandom(number)));
    }

    private static SyntheticImages write(int count, Drawing drawing) throws IOException {
        TemporaryFolder folder = TemporaryFolder.create();
        try {
            List<Path> files = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                files.add(folder.path().resolve(i + ".jpg"));
                drawing.write(files.get(i), i);
            }
            return new SyntheticImages(folder, files);
        } catch (IOException | RuntimeException failure) {
            folder.close();
            throw failure;
        }
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }

    /** A texture with structures of many lengths, as hard to decode as a photograph of many megapixels. */
    private static final class LargePhoto {

        private static final float QUALITY = 0.9f;

        /** Lengths of the structures, in pixels; each contributes in proportion to its length, as in nature. */
        private static final int[] LENGTHS = {512, 128, 32, 8, 3};

        private LargePhoto() {}

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
        private static void add(
                float[] field, int width, int height, int length, double weight, SplittableRandom random) {
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

    /** A coarse random pattern, about as hard to decode as a photo of 340×256 pixels. */
    private static final class SmallPhoto {

        private SmallPhoto() {}

        static void write(Path file, Random random) throws IOException {
            BufferedImage image = new BufferedImage(340, 256, BufferedImage.TYPE_INT_RGB);
            int[] colours = random.ints(34 * 26).toArray();
            for (int y = 0; y < image.getHeight(); y++) {
                for (int x = 0; x < image.getWidth(); x++) {
                    int grain = random.nextInt(24);
                    image.setRGB(x, y, (colours[y / 10 * 34 + x / 10] & 0xE7E7E7) + grain * 0x010101);
                }
            }
            ImageIO.write(image, "jpg", file.toFile());
        }
    }
}
