package io.github.gramian.image.corruption.internal;

import io.github.gramian.image.codec.RgbImage;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * Red, green and blue of an image as values in 0..1. Corruptions may leave this range; {@link #toImage} clips.
 *
 * @param planes one per colour
 */
record Planes(List<Plane> planes) {

    Planes {
        planes = List.copyOf(planes);
    }

    static Planes of(RgbImage image) {
        int pixels = image.width() * image.height();
        double[][] values = new double[3][pixels];
        byte[] rgb = image.pixels();
        for (int i = 0; i < pixels; i++) {
            for (int c = 0; c < 3; c++) {
                values[c][i] = (rgb[3 * i + c] & 0xFF) / 255.0;
            }
        }
        return new Planes(Arrays.stream(values)
                .map(one -> new Plane(image.width(), image.height(), one))
                .toList());
    }

    int width() {
        return planes.get(0).width();
    }

    int height() {
        return planes.get(0).height();
    }

    /** The values of one colour. */
    double[] values(int channel) {
        return planes.get(channel).values();
    }

    /** The same change of each colour. */
    Planes each(UnaryOperator<Plane> change) {
        return new Planes(planes.stream().map(change).toList());
    }

    /** The same change of each value. Values come in a fixed order: colour after colour, row after row. */
    Planes map(DoubleUnaryOperator change) {
        return each(plane -> plane.map(change));
    }

    /** Eight bits per value, rounded to the nearest. */
    RgbImage toImage() {
        int pixels = width() * height();
        byte[] rgb = new byte[3 * pixels];
        for (int c = 0; c < 3; c++) {
            double[] values = values(c);
            for (int i = 0; i < pixels; i++) {
                rgb[3 * i + c] = (byte) Math.rint(255 * Math.max(0, Math.min(1, values[i])));
            }
        }
        return new RgbImage(width(), height(), rgb);
    }

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
}
