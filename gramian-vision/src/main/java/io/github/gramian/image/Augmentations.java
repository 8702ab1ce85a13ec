package io.github.gramian.image;

import io.github.gramian.image.codec.RgbImage;
import io.github.gramian.image.corruption.internal.Corruption;
import io.github.gramian.image.corruption.internal.CorruptionType;
import io.github.gramian.tensor.Seed;
import java.util.List;
import java.util.stream.Collectors;

/** The augmentations behind {@link Augmentation}. */
final class Augmentations {

    private Augmentations() {}

    /**
     * A rectangle of noise over a part of the view (Zhong et al., random erasing): with probability p, a share s of the area
     * uniform on [0.02, 0.33] and an aspect r = height/width with ln r uniform on [−ln 3.3, ln 3.3]. A rectangle of h = √(s·r·A) by w
     * = √(s·A/r) pixels that does not fit is drawn again, at most ten times; then nothing is erased. Its place is uniform, and so
     * is each of its samples on 0..255.
     */
    record RandomErasing(double probability) implements Augmentation {

        private static final double SMALLEST = 0.02;
        private static final double LARGEST = 0.33;
        private static final double ASPECT = 3.3;
        private static final int TRIES = 10;

        RandomErasing {
            if (!(probability >= 0 && probability <= 1)) {
                throw new IllegalArgumentException("a probability lies in 0..1, not " + probability);
            }
        }

        @Override
        public String key() {
            return "erase:" + probability;
        }

        @Override
        public RgbImage apply(RgbImage view, Seed seed) {
            Draws draws = new Draws(seed);
            if (!draws.with(probability)) {
                return view;
            }
            for (int i = 0; i < TRIES; i++) {
                double area = draws.between(SMALLEST, LARGEST) * view.width() * view.height();
                double aspect = Math.exp(draws.between(-Math.log(ASPECT), Math.log(ASPECT)));
                int height = (int) Math.round(Math.sqrt(area * aspect));
                int width = (int) Math.round(Math.sqrt(area / aspect));
                if (height >= 1 && width >= 1 && height <= view.height() && width <= view.width()) {
                    int x = draws.upTo(view.width() - width);
                    int y = draws.upTo(view.height() - height);
                    return erased(view, new Rectangle(x, y, width, height), seed.child("noise"));
                }
            }
            return view;
        }

        private record Rectangle(int x, int y, int width, int height) {}

        private static RgbImage erased(RgbImage view, Rectangle part, Seed seed) {
            byte[] rgb = view.pixels().clone();
            byte[] row = new byte[3 * part.width()];
            var random = seed.random();
            for (int y = part.y(); y < part.y() + part.height(); y++) {
                random.nextBytes(row);
                System.arraycopy(row, 0, rgb, 3 * (y * view.width() + part.x()), row.length);
            }
            return new RgbImage(view.width(), view.height(), rgb);
        }
    }

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
            return (19_595 * (rgb[i] & 0xFF) + 38_470 * (rgb[i + 1] & 0xFF) + 7_471 * (rgb[i + 2] & 0xFF) + 32_768)
                    >> 16;
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

    /**
     * A view made worse, to measure how robust a model is. The given seed does not matter: the same pixels are always corrupted in
     * the same way, so that all models are evaluated on the same images and features of corrupted images can be cached.
     */
    record CorruptedView(Corruption corruption) implements Augmentation {

        private static final Seed SEED = new Seed(0);

        @Override
        public RgbImage apply(RgbImage view, Seed seed) {
            return corruption.apply(view, SEED);
        }

        @Override
        public boolean isRandom() {
            return false;
        }

        @Override
        public String key() {
            return "corrupt:" + corruption.key();
        }
    }

    /** One of some corruptions at one of some severities, both drawn uniformly: for views that a classifier learns from. */
    record RandomCorruption(List<CorruptionType> types, int lowest, int highest) implements Augmentation {

        RandomCorruption {
            types = List.copyOf(types);
            new Corruption(types.get(0), lowest);
            new Corruption(types.get(0), highest);
            if (lowest > highest) {
                throw new IllegalArgumentException(
                        "severities must go from the lower to the higher one but are " + lowest + "-" + highest);
            }
        }

        @Override
        public RgbImage apply(RgbImage view, Seed seed) {
            Draws draws = new Draws(seed);
            CorruptionType type = types.get(draws.upTo(types.size() - 1));
            int severity = lowest + draws.upTo(highest - lowest);
            return new Corruption(type, severity).apply(view, seed.child("corruption"));
        }

        @Override
        public String key() {
            String names = types.stream().map(CorruptionType::key).collect(Collectors.joining(","));
            return "corrupt:" + names + ":" + lowest + "-" + highest;
        }
    }
}
