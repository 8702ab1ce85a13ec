package io.github.gramian.dataset.inspect.internal;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.util.SplittableRandom;

/** Pictures with large and small structure, unlike noise: what a camera might have seen. */
final class Pictures {

    private Pictures() {}

    /** Coloured discs and bars; the seed decides where. */
    static BufferedImage scene(long seed, int width, int height) {
        SplittableRandom random = new SplittableRandom(seed);
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(new Color(random.nextInt(1 << 24)));
        graphics.fillRect(0, 0, width, height);
        for (int i = 0; i < 25; i++) {
            graphics.setColor(new Color(random.nextInt(1 << 24)));
            int x = (int) (random.nextDouble() * width);
            int y = (int) (random.nextDouble() * height);
            int size = (int) ((0.05 + 0.3 * random.nextDouble()) * width);
            if (random.nextBoolean()) {
                graphics.fillOval(x - size / 2, y - size / 2, size, size);
            } else {
                graphics.fillRect(x - size / 2, y - size / 8, size, size / 4);
            }
        }
        graphics.dispose();
        return image;
    }

    /** The same in another size, a little darker. */
    static BufferedImage retouched(BufferedImage image, int width, int height) {
        BufferedImage copy = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = copy.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        graphics.drawImage(image, 0, 0, width, height, null);
        graphics.setColor(new Color(0, 0, 0, 30));
        graphics.fillRect(0, 0, width, height);
        graphics.dispose();
        return copy;
    }

    /** Stripes of a given period, as regular as a texture can be. */
    static BufferedImage stripes(double period, double shift) {
        BufferedImage image = new BufferedImage(96, 96, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < 96; y++) {
            for (int x = 0; x < 96; x++) {
                int level = (int) (127.5 + 120 * Math.sin(2 * Math.PI * (x + shift) / period));
                image.setRGB(x, y, level << 16 | level << 8 | level);
            }
        }
        return image;
    }

    static BufferedImage blank(int level) {
        BufferedImage image = new BufferedImage(40, 40, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 1600; i++) {
            image.setRGB(i % 40, i / 40, level << 16 | level << 8 | level);
        }
        return image;
    }
}
