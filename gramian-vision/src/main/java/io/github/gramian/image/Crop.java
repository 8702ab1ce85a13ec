package io.github.gramian.image;

import io.github.gramian.image.codec.RgbImage.Window;
import io.github.gramian.tensor.Seed;

/**
 * Which windows of a resized image become views. A crop with {@code n} views gives windows 0 to n−1; a random one draws
 * each from that view's own seed. If a window's size differs from the view's, it is resampled.
 */
public sealed interface Crop {

    /** How many views an image gives. */
    default int views() {
        return 1;
    }

    /** Whether the windows depend on the seed. */
    default boolean isRandom() {
        return false;
    }

    /** Whether the image must be at least as large as the view. */
    default boolean needsLargeImage() {
        return true;
    }

    /** The crop in recipes and cache keys. */
    String key();

    /** The window of one view of size×size in an image of width×height. */
    Window window(int view, int width, int height, int size, Seed seed);

    /** The whole image, squeezed to the view's size. */
    record Whole() implements Crop {
        @Override
        public boolean needsLargeImage() {
            return false;
        }

        @Override
        public String key() {
            return "whole";
        }

        @Override
        public Window window(int view, int width, int height, int size, Seed seed) {
            return new Window(0, 0, width, height, false);
        }
    }

    /** The middle. */
    record Centre() implements Crop {
        @Override
        public String key() {
            return "centre";
        }

        @Override
        public Window window(int view, int width, int height, int size, Seed seed) {
            // Half to even, as torchvision rounds.
            int x = (int) Math.rint((width - size) / 2.0);
            int y = (int) Math.rint((height - size) / 2.0);
            return new Window(x, y, size, size, false);
        }
    }

    /** Upper left, upper right, lower left, lower right, centre. */
    record FiveCrop() implements Crop {
        @Override
        public int views() {
            return 5;
        }

        @Override
        public String key() {
            return "five";
        }

        @Override
        public Window window(int view, int width, int height, int size, Seed seed) {
            if (view == 4) {
                return new Centre().window(0, width, height, size, seed);
            }
            int x = view % 2 == 0 ? 0 : width - size;
            int y = view < 2 ? 0 : height - size;
            return new Window(x, y, size, size, false);
        }
    }

    /** The five crops, then their mirror images. */
    record TenCrop() implements Crop {
        @Override
        public int views() {
            return 10;
        }

        @Override
        public String key() {
            return "ten";
        }

        @Override
        public Window window(int view, int width, int height, int size, Seed seed) {
            Window window = new FiveCrop().window(view % 5, width, height, size, seed);
            return view < 5 ? window : window.flipped();
        }
    }

    /** Windows of the view's size anywhere in the image. */
    record RandomCrop(int views) implements Crop {
        public RandomCrop {
            checkViews(views);
        }

        @Override
        public boolean isRandom() {
            return true;
        }

        @Override
        public String key() {
            return "random:" + views;
        }

        @Override
        public Window window(int view, int width, int height, int size, Seed seed) {
            Draws draws = new Draws(seed);
            return new Window(draws.upTo(width - size), draws.upTo(height - size), size, size, false);
        }
    }

    /**
     * Windows of random area and proportions, as torchvision's {@code RandomResizedCrop}: area is a fraction of the image
     * in [minArea, maxArea], width/height is log-uniform in [1/maxAspect, maxAspect]; after ten misses, the largest
     * central window of allowed proportions. Trainings on ImageNet commonly take areas from 0.08 to 1 and proportions up to
     * 4/3.
     */
    record RandomResizedCrop(int views, double minArea, double maxArea, double maxAspect) implements Crop {

        private static final int ATTEMPTS = 10;

        public RandomResizedCrop {
            checkViews(views);
            if (!(minArea > 0 && minArea <= maxArea && maxArea <= 1)) {
                throw new IllegalArgumentException(
                        "areas must satisfy 0 < minArea <= maxArea <= 1 but are " + minArea + " and " + maxArea);
            }
            if (!(maxAspect >= 1 && maxAspect <= 100)) {
                throw new IllegalArgumentException("maxAspect must lie in 1..100 but is " + maxAspect);
            }
        }

        @Override
        public boolean isRandom() {
            return true;
        }

        @Override
        public boolean needsLargeImage() {
            return false;
        }

        @Override
        public String key() {
            return "random-resized:" + views + ":" + minArea + ":" + maxArea + ":" + maxAspect;
        }

        @Override
        public Window window(int view, int width, int height, int size, Seed seed) {
            Draws draws = new Draws(seed);
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                double area = draws.between(minArea, maxArea) * width * height;
                double aspect = Math.exp(draws.between(-Math.log(maxAspect), Math.log(maxAspect)));
                int w = (int) Math.rint(Math.sqrt(area * aspect));
                int h = (int) Math.rint(Math.sqrt(area / aspect));
                if (w >= 1 && w <= width && h >= 1 && h <= height) {
                    return new Window(draws.upTo(width - w), draws.upTo(height - h), w, h, false);
                }
            }
            int w = (int) Math.max(1, Math.min(width, Math.rint(height * maxAspect)));
            int h = (int) Math.max(1, Math.min(height, Math.rint(width * maxAspect)));
            return new Window((width - w) / 2, (height - h) / 2, w, h, false);
        }
    }

    private static void checkViews(int views) {
        if (views < 1 || views > 1000) {
            throw new IllegalArgumentException("random crops must give 1..1000 views but give " + views);
        }
    }
}
