package io.github.gramian.image.codec;

/**
 * How the rows and columns of a file lie to the picture: the eight values of EXIF and TIFF tag 274, in its order. Each
 * is a transposition or none, then a flip of either axis or none.
 */
enum Orientation {
    UPRIGHT(false, false, false),
    MIRRORED(false, true, false),
    UPSIDE_DOWN(false, true, true),
    FLIPPED(false, false, true),
    TRANSPOSED(true, false, false),
    TURN_RIGHT(true, false, true),
    TRANSVERSE(true, true, true),
    TURN_LEFT(true, true, false);

    private final boolean transpose;
    private final boolean fromRight;
    private final boolean fromBelow;

    Orientation(boolean transpose, boolean fromRight, boolean fromBelow) {
        this.transpose = transpose;
        this.fromRight = fromRight;
        this.fromBelow = fromBelow;
    }

    /** The orientation of a tag's value; a value out of 1..8 is as good as none. */
    static Orientation ofTag(long value) {
        return value >= 1 && value <= 8 ? values()[(int) value - 1] : UPRIGHT;
    }

    /** Whether rows become columns. */
    boolean transposes() {
        return transpose;
    }

    /**
     * Where the samples of a stored image go in the array of the upright one.
     *
     * @param width of the upright image
     * @param height of the upright image
     * @param start of the first stored pixel
     * @param right from a stored pixel to its neighbour on the right
     * @param down from a stored pixel to the one below
     */
    record Walk(int width, int height, int start, int right, int down) {}

    /** The walk through a stored image of this size. */
    Walk walk(int width, int height) {
        int seenWidth = transpose ? height : width;
        int right = 3 * (fromRight ? -1 : 1) * (transpose ? seenWidth : 1);
        int down = 3 * (fromBelow ? -1 : 1) * (transpose ? 1 : seenWidth);
        int start = (fromRight ? (1 - width) * right : 0) + (fromBelow ? (1 - height) * down : 0);
        return new Walk(seenWidth, transpose ? width : height, start, right, down);
    }

    /** The image as it should be seen. */
    RgbImage apply(RgbImage image) {
        if (this == UPRIGHT) {
            return image;
        }
        Walk walk = walk(image.width(), image.height());
        byte[] source = image.pixels();
        byte[] seen = new byte[source.length];
        int from = 0;
        for (int y = 0; y < image.height(); y++) {
            int to = walk.start() + y * walk.down();
            for (int x = 0; x < image.width(); x++, to += walk.right()) {
                seen[to] = source[from++];
                seen[to + 1] = source[from++];
                seen[to + 2] = source[from++];
            }
        }
        return new RgbImage(walk.width(), walk.height(), seen);
    }
}
