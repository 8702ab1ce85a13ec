package io.github.gramian.image.codec;

import java.util.Arrays;
import java.util.List;

/** An image in memory: height × width × (red, green, blue), 8 bits each, row by row in one array. */
public final class RgbImage {

    /**
     * A rectangle of an image that one view is made of.
     *
     * @param x of its left edge
     * @param y of its upper edge
     * @param width in pixels
     * @param height in pixels
     * @param mirrored whether the view shows it with left and right exchanged
     */
    public record Window(int x, int y, int width, int height, boolean mirrored) {

        public Window {
            if (x < 0 || y < 0 || width < 1 || height < 1) {
                throw new IllegalArgumentException(
                        "a window needs a corner in the image and at least one pixel, but is " + x + "," + y + " "
                                + width + "×" + height);
            }
        }

        /** The smallest that holds all of these. */
        public static Window around(List<Window> windows) {
            int left = Integer.MAX_VALUE;
            int top = Integer.MAX_VALUE;
            int right = 0;
            int bottom = 0;
            for (Window window : windows) {
                left = Math.min(left, window.x);
                top = Math.min(top, window.y);
                right = Math.max(right, window.x + window.width);
                bottom = Math.max(bottom, window.y + window.height);
            }
            return new Window(left, top, right - left, bottom - top, false);
        }

        /** The same rectangle in an image that shows only this part. */
        public Window within(Window part) {
            return new Window(x - part.x, y - part.y, width, height, mirrored);
        }

        /** The same rectangle, mirrored if this one is not. */
        public Window flipped() {
            return new Window(x, y, width, height, !mirrored);
        }

        public void checkInside(int imageWidth, int imageHeight) {
            if ((long) x + width > imageWidth || (long) y + height > imageHeight) {
                throw new IllegalArgumentException("the window " + width + "×" + height + " at " + x + "," + y
                        + " does not fit into an image of " + imageWidth + "×" + imageHeight
                        + "; resize to at least the crop's size first");
            }
        }
    }

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

    /** The part under a window, not mirrored, whether or not the window is. */
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
