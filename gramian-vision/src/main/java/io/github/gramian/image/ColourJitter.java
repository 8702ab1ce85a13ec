package io.github.gramian.image;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.tensor.Seed;

/**
 * Random brightness, contrast, saturation and hue, in random order. Each of the first three draws a factor f uniform on
 * [max(0, 1 − strength), 1 + strength] and blends: f·view + (1 − f)·other, where other is black, the mean grey, or the
 * grey view. Hue turns by a fraction of the circle uniform on [−hue, hue].
 */
record ColourJitter(double brightness, double contrast, double saturation, double hue) implements Augmentation {

    ColourJitter {
        checkStrength("brightness", brightness, 10);
        checkStrength("contrast", contrast, 10);
        checkStrength("saturation", saturation, 10);
        checkStrength("hue", hue, 0.5);
    }

    @Override
    public String key() {
        return "jitter:" + brightness + ":" + contrast + ":" + saturation + ":" + hue;
    }

    @Override
    public RgbImage apply(RgbImage view, Seed seed) {
        Draws draws = new Draws(seed);
        byte[] rgb = view.pixels().clone();
        float bright = factor(draws, brightness);
        float contrasting = factor(draws, contrast);
        float saturated = factor(draws, saturation);
        double turn = draws.between(-hue, hue);
        for (int step : order(draws)) {
            switch (step) {
                case 0 -> blendWith(rgb, bright, 0);
                case 1 -> blendWith(rgb, contrasting, meanGrey(rgb));
                case 2 -> blendWithOwnGrey(rgb, saturated);
                default -> turnHue(rgb, turn);
            }
        }
        return new RgbImage(view.width(), view.height(), rgb);
    }

    private static float factor(Draws draws, double strength) {
        return (float) draws.between(Math.max(0, 1 - strength), 1 + strength);
    }

    /** The four steps shuffled. */
    private static int[] order(Draws draws) {
        int[] order = {0, 1, 2, 3};
        for (int last = 3; last > 0; last--) {
            int other = draws.upTo(last);
            int swapped = order[last];
            order[last] = order[other];
            order[other] = swapped;
        }
        return order;
    }

    static void blendWith(byte[] rgb, float factor, int other) {
        if (factor == 1) {
            return;
        }
        byte[] table = new byte[256];
        for (int value = 0; value < 256; value++) {
            table[value] = blend(value, other, factor);
        }
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] = table[rgb[i] & 0xFF];
        }
    }

    static void blendWithOwnGrey(byte[] rgb, float factor) {
        for (int i = 0; factor != 1 && i < rgb.length; i += 3) {
            int grey = grey(rgb, i);
            rgb[i] = blend(rgb[i] & 0xFF, grey, factor);
            rgb[i + 1] = blend(rgb[i + 1] & 0xFF, grey, factor);
            rgb[i + 2] = blend(rgb[i + 2] & 0xFF, grey, factor);
        }
    }

    static int meanGrey(byte[] rgb) {
        long sum = 0;
        for (int i = 0; i < rgb.length; i += 3) {
            sum += grey(rgb, i);
        }
        return (int) (3.0 * sum / rgb.length + 0.5);
    }

    /** Luma of ITU-R 601 with 16 fractional bits, as Pillow's grey. */
    private static int grey(byte[] rgb, int i) {
        return (19_595 * (rgb[i] & 0xFF) + 38_470 * (rgb[i + 1] & 0xFF) + 7_471 * (rgb[i + 2] & 0xFF) + 32_768) >> 16;
    }

    private static byte blend(int value, int other, float factor) {
        return (byte) Math.max(0, Math.min(255, other + factor * (value - other)));
    }

    /** Turns every colour's hue by a fraction of the circle; its largest and smallest sample do not change. */
    static void turnHue(byte[] rgb, double turn) {
        for (int i = 0; turn != 0 && i < rgb.length; i += 3) {
            int red = rgb[i] & 0xFF;
            int green = rgb[i + 1] & 0xFF;
            int blue = rgb[i + 2] & 0xFF;
            int most = Math.max(red, Math.max(green, blue));
            int chroma = most - Math.min(red, Math.min(green, blue));
            if (chroma > 0) {
                double sixth = most == red
                        ? (double) (green - blue) / chroma
                        : most == green ? 2 + (double) (blue - red) / chroma : 4 + (double) (red - green) / chroma;
                double hue = sixth + 6 * turn;
                rgb[i] = ofHue(hue + 5, most, chroma);
                rgb[i + 1] = ofHue(hue + 3, most, chroma);
                rgb[i + 2] = ofHue(hue + 1, most, chroma);
            }
        }
    }

    private static byte ofHue(double sixths, int most, int chroma) {
        double k = sixths - 6 * Math.floor(sixths / 6);
        return (byte) Math.round(most - chroma * Math.max(0, Math.min(1, Math.min(k, 4 - k))));
    }

    private static void checkStrength(String name, double strength, double most) {
        if (!(strength >= 0 && strength <= most)) {
            throw new IllegalArgumentException(name + " must lie in 0.." + most + " but is " + strength);
        }
    }
}
