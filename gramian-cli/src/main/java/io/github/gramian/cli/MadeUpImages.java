package io.github.gramian.cli;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;

/** JPEG files to measure with, in a temporary folder that is gone when closed. */
record MadeUpImages(Path folder, List<Path> files) implements AutoCloseable {

    /** Writes so many. */
    static MadeUpImages write(int count) throws IOException {
        Path folder = Files.createTempDirectory("gramian-bench");
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(image(folder.resolve(i + ".jpg"), new Random(i)));
        }
        return new MadeUpImages(folder, files);
    }

    /** A coarse random pattern, about as hard to decode as a photo of 340×256 pixels. */
    private static Path image(Path file, Random random) throws IOException {
        BufferedImage image = new BufferedImage(340, 256, BufferedImage.TYPE_INT_RGB);
        int[] colours = random.ints(34 * 26).toArray();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                int grain = random.nextInt(24);
                image.setRGB(x, y, (colours[y / 10 * 34 + x / 10] & 0xE7E7E7) + grain * 0x010101);
            }
        }
        ImageIO.write(image, "jpg", file.toFile());
        return file;
    }

    @Override
    public void close() throws IOException {
        for (Path file : files) {
            Files.delete(file);
        }
        Files.delete(folder);
    }
}
