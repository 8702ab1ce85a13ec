package sample;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import javax.imageio.ImageIO;

/** Two classes of images. */
enum Stripes {
    LYING,
    STANDING;

    private static final int PIXELS = 64;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Stripes of a random width, with noise. */
    void draw(Path file, int number) throws IOException {
        Random random = new Random(31L * number + ordinal());
        int width = 4 + random.nextInt(4);
        BufferedImage image = new BufferedImage(PIXELS, PIXELS, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < PIXELS; y++) {
            for (int x = 0; x < PIXELS; x++) {
                boolean light = (this == LYING ? y : x) / width % 2 == 0;
                int grey = (light ? 180 : 40) + random.nextInt(40);
                image.setRGB(x, y, grey << 16 | grey << 8 | grey);
            }
        }
        Files.createDirectories(file.getParent());
        ImageIO.write(image, "png", file.toFile());
    }
}
