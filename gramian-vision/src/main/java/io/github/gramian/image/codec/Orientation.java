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

    /** The image as it should be seen. */
    RgbImage apply(RgbImage image) {
        if (this == UPRIGHT) {
            return image;
        }
        int width = transpose ? image.height() : image.width();
        int height = transpose ? image.width() : image.height();
        byte[] source = image.pixels();
        byte[] seen = new byte[source.length];
        int columnStep = 3 * (fromRight ? -1 : 1);
        int rowStep = 3 * image.width() * (fromBelow ? -1 : 1);
        int origin = 3 * ((fromRight ? image.width() - 1 : 0) + image.width() * (fromBelow ? image.height() - 1 : 0));
        int alongX = transpose ? rowStep : columnStep;
        int alongY = transpose ? columnStep : rowStep;
        int to = 0;
        for (int y = 0; y < height; y++) {
            int from = origin + y * alongY;
            for (int x = 0; x < width; x++, from += alongX) {
                seen[to++] = source[from];
                seen[to++] = source[from + 1];
                seen[to++] = source[from + 2];
            }
        }
        return new RgbImage(width, height, seen);
    }
}
