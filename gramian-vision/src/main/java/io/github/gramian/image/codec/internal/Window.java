package io.github.gramian.image.codec.internal;

import java.util.List;

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
            throw new IllegalArgumentException("a window needs a corner in the image and at least one pixel, but is "
                    + x + "," + y + " " + width + "×" + height);
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
