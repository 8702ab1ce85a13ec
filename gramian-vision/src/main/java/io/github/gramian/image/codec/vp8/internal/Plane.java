package io.github.gramian.image.codec.vp8.internal;

import java.util.Arrays;

/**
 * Luma or chroma of a frame in whole macroblocks, with the border that prediction looks at: 127 above, 129 to the left.
 * Sample (x, y) stands at {@code at(x, y)}, also for −1 and for four samples beyond the right edge of the row above.
 */
final class Plane {

    private static final int ABOVE = 127;
    private static final int LEFT = 129;
    private static final int BEYOND = 4;

    final int stride;
    final byte[] samples;

    Plane(int width, int height) {
        stride = width + 1 + BEYOND;
        samples = new byte[Math.multiplyExact(stride, height + 1)];
        Arrays.fill(samples, 0, stride, (byte) ABOVE);
        for (int y = 0; y < height; y++) {
            samples[at(-1, y)] = (byte) LEFT;
        }
    }

    int at(int x, int y) {
        return (y + 1) * stride + x + 1;
    }

    int get(int index) {
        return samples[index] & 0xFF;
    }

    void set(int index, int value) {
        samples[index] = (byte) Math.max(0, Math.min(255, value));
    }
}
