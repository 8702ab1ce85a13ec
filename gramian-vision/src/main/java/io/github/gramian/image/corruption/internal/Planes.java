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
}
