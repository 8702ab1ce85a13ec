package io.github.gramian.bench;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import javax.imageio.ImageIO;

/** A coarse random pattern, about as hard to decode as a photo of 340×256 pixels. */
final class SyntheticPhoto {

    private SyntheticPhoto() {}

    static Path write(Path file, Random random) throws IOException {
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
}
