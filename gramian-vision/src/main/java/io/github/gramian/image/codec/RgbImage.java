package io.github.gramian.image.codec;

import io.github.gramian.image.codec.internal.Window;
import java.util.Arrays;

/** An image in memory: height × width × (red, green, blue), 8 bits each, row by row in one array. */
public final class RgbImage {

    private final int width;
    private final int height;
    private final byte[] pixels;

    /** Takes over the array; it is not copied. */
    public RgbImage(int width, int height, byte[] pixels) {
        if (width < 1 || height < 1 || pixels.length != 3L * width * height) {
            throw new IllegalArgumentException("an RGB image of " + width + "×" + height + " does not have "
                    + pixels.length + " bytes but 3 for each pixel");
        }
        this.width = width;
        this.height = height;
        this.pixels = pixels;
    }

    /** A black image. */
    public static RgbImage black(int width, int height) {
        return new RgbImage(width, height, new byte[Math.multiplyExact(3, Math.multiplyExact(width, height))]);
    }

    public int width() {
        return width;
    }

    public int height() {
        return height;
    }

    /** The array itself, for reading; pixel (x, y) starts at {@code 3 * (y * width + x)}. */
    public byte[] pixels() {
        return pixels;
    }

    /** One sample, 0 to 255; channel 0 is red. */
    public int sample(int x, int y, int channel) {
        return pixels[3 * (y * width + x) + channel] & 0xFF;
    }

    /** The part under a window, not mirrored whatever the window says. */
    public RgbImage cut(Window window) {
        window.checkInside(width, height);
        if (window.width() == width && window.height() == height) {
            return this;
        }
        byte[] part = new byte[3 * window.width() * window.height()];
        int rowBytes = 3 * window.width();
        for (int y = 0; y < window.height(); y++) {
            System.arraycopy(pixels, 3 * ((window.y() + y) * width + window.x()), part, y * rowBytes, rowBytes);
        }
        return new RgbImage(window.width(), window.height(), part);
    }

    /** Left and right exchanged. */
    public RgbImage mirrored() {
        return Orientation.MIRRORED.apply(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RgbImage image
                && image.width == width
                && image.height == height
                && Arrays.equals(image.pixels, pixels);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * width + height) + Arrays.hashCode(pixels);
    }

    @Override
    public String toString() {
        return "RgbImage[" + width + "×" + height + "]";
    }
}
