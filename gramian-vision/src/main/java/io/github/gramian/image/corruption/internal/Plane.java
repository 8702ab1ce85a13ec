package io.github.gramian.image.corruption.internal;

import java.util.function.DoubleUnaryOperator;

/** One colour of an image, or a grey image: height rows of width values. Only its maker writes to the array. */
@SuppressWarnings("ArrayRecordComponent") // only its maker writes to it, and planes are never compared
record Plane(int width, int height, double[] values) {

    double at(int x, int y) {
        return values[y * width + x];
    }

    Plane map(DoubleUnaryOperator change) {
        double[] changed = new double[values.length];
        for (int i = 0; i < changed.length; i++) {
            changed[i] = change.applyAsDouble(values[i]);
        }
        return new Plane(width, height, changed);
    }

    /** The values in 8 bits, cut off as conversions to integers do, and back. */
    Plane truncated() {
        return map(value -> Math.floor(255 * Math.max(0, Math.min(1, value)) + 1e-9) / 255);
    }

    /** The rectangle with this corner and size. */
    Plane cut(int left, int top, int cutWidth, int cutHeight) {
        double[] part = new double[cutWidth * cutHeight];
        for (int y = 0; y < cutHeight; y++) {
            System.arraycopy(values, (top + y) * width + left, part, y * cutWidth, cutWidth);
        }
        return new Plane(cutWidth, cutHeight, part);
    }

    /** Which pixel stands for one outside of the image. */
    enum Border {
        /** The nearest pixel: {@code aaa|abcd|ddd}. */
        NEAREST {
            @Override
            int index(int i, int size) {
                return Math.max(0, Math.min(size - 1, i));
            }
        },
        /** Mirrored at the edge between pixels: {@code cba|abcd|dcb}. */
        REFLECT {
            @Override
            int index(int i, int size) {
                int turned = Math.floorMod(i, 2 * size);
                return turned < size ? turned : 2 * size - 1 - turned;
            }
        },
        /** Mirrored at the middle of the last pixel: {@code dcb|abcd|cba}. */
        MIRROR {
            @Override
            int index(int i, int size) {
                if (size == 1) {
                    return 0;
                }
                int turned = Math.floorMod(i, 2 * size - 2);
                return turned < size ? turned : 2 * size - 2 - turned;
            }
        };

        abstract int index(int i, int size);
    }

    /** The value between pixels, by bilinear interpolation. */
    double between(double x, double y, Border border) {
        int left = (int) Math.floor(x);
        int top = (int) Math.floor(y);
        int x0 = border.index(left, width);
        int x1 = border.index(left + 1, width);
        int y0 = border.index(top, height);
        int y1 = border.index(top + 1, height);
        double right = x - left;
        double down = y - top;
        double upper = (1 - right) * at(x0, y0) + right * at(x1, y0);
        double lower = (1 - right) * at(x0, y1) + right * at(x1, y1);
        return (1 - down) * upper + down * lower;
    }
}
