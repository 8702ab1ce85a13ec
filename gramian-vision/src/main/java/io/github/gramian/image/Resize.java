package io.github.gramian.image;

/** The size that an image is brought to before views are cut out of it. */
public sealed interface Resize {

    /** The width that an image of this size gets. */
    int widthOf(int width, int height);

    /** The height that an image of this size gets. */
    int heightOf(int width, int height);

    /** The least of width and height that any image has afterwards; 1 where nothing is promised. */
    int minSide();

    /** The rule in recipes and cache keys. */
    String key();

    /** As it is. */
    record None() implements Resize {
        @Override
        public int widthOf(int width, int height) {
            return width;
        }

        @Override
        public int heightOf(int width, int height) {
            return height;
        }

        @Override
        public int minSide() {
            return 1;
        }

        @Override
        public String key() {
            return "none";
        }
    }

    /** To this size, whatever becomes of the proportions. */
    record Exact(int width, int height) implements Resize {
        public Exact {
            checkSide(width);
            checkSide(height);
        }

        @Override
        public int widthOf(int width, int height) {
            return this.width;
        }

        @Override
        public int heightOf(int width, int height) {
            return this.height;
        }

        @Override
        public int minSide() {
            return Math.min(width, height);
        }

        @Override
        public String key() {
            return "exact:" + width + "x" + height;
        }
    }

    /** The shorter side to this length, the longer in proportion, rounded down; as torchvision's {@code Resize(n)}. */
    record ShortSide(int length) implements Resize {

        /** Bounds the longer side, so that a very narrow image does not become huge by resizing. */
        private static final int LONGEST = 1 << 16;

        public ShortSide {
            checkSide(length);
        }

        @Override
        public int widthOf(int width, int height) {
            return width <= height ? length : longer(width, height);
        }

        @Override
        public int heightOf(int width, int height) {
            return width <= height ? longer(height, width) : length;
        }

        @Override
        public int minSide() {
            return length;
        }

        @Override
        public String key() {
            return "short:" + length;
        }

        private int longer(int longSide, int shortSide) {
            return (int) Math.min((long) length * longSide / shortSide, Math.max(LONGEST, length));
        }
    }

    /** Both sides by this factor, rounded. */
    record Factor(double factor) implements Resize {

        public Factor {
            if (!(factor >= 1e-3 && factor <= 1e3)) {
                throw new IllegalArgumentException("an image is resized by a factor of 0.001..1000, not " + factor);
            }
        }

        @Override
        public int widthOf(int width, int height) {
            return scaled(width);
        }

        @Override
        public int heightOf(int width, int height) {
            return scaled(height);
        }

        @Override
        public int minSide() {
            return 1;
        }

        @Override
        public String key() {
            return "factor:" + factor;
        }

        private int scaled(int side) {
            return (int) Math.max(1, Math.min(Integer.MAX_VALUE, Math.round(side * factor)));
        }
    }

    private static void checkSide(int side) {
        if (side < 1 || side > 8192) {
            throw new IllegalArgumentException("an image is resized to 1..8192 pixels a side, not " + side);
        }
    }
}
