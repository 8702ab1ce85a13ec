package io.github.gramian.image.codec.vp8.internal;

/**
 * RGB of luma and of chroma at half the resolution. Chroma between its samples is weighted 9 : 3 : 3 : 1 by distance, in
 * libwebp's order of rounding; the conversion is ITU-R 601 with studio range, in 14 fractional bits.
 */
final class Colours {

    private final Plane luma;
    private final Plane blue;
    private final Plane red;
    private final int width;
    private final byte[] rgb;

    private Colours(Plane luma, Plane blue, Plane red, int width, int height) {
        this.luma = luma;
        this.blue = blue;
        this.red = red;
        this.width = width;
        this.rgb = new byte[Math.multiplyExact(3, Math.multiplyExact(width, height))];
    }

    static byte[] toRgb(Plane luma, Plane blue, Plane red, int width, int height) {
        Colours colours = new Colours(luma, blue, red, width, height);
        int lastRow = (height + 1) / 2 - 1;
        for (int y = 0; y < height; y++) {
            // Odd rows lie nearer to the chroma row above, even ones nearer to their own; the ends have one row only.
            int near = y / 2;
            int far = y % 2 == 0 ? Math.max(0, near - 1) : Math.min(lastRow, near + 1);
            colours.row(y, near, far);
        }
        return colours.rgb;
    }

    private void row(int y, int near, int far) {
        int lastColumn = (width + 1) / 2 - 1;
        for (int x = 0; x < width; x++) {
            int nearX = x / 2;
            int farX = x % 2 == 0 ? nearX - 1 : nearX + 1;
            boolean atEnd = farX < 0 || farX > lastColumn;
            put(x, y, chroma(blue, nearX, farX, near, far, atEnd), chroma(red, nearX, farX, near, far, atEnd));
        }
    }

    private static int chroma(Plane plane, int nearX, int farX, int nearY, int farY, boolean atEnd) {
        int near = plane.get(plane.at(nearX, nearY));
        int vertical = plane.get(plane.at(nearX, farY));
        if (atEnd) {
            return (3 * near + vertical + 2) >> 2;
        }
        int horizontal = plane.get(plane.at(farX, nearY));
        int diagonal = plane.get(plane.at(farX, farY));
        int mixed = (near + vertical + horizontal + diagonal + 8 + 2 * (vertical + horizontal)) >> 3;
        return (mixed + near) >> 1;
    }

    private void put(int x, int y, int u, int v) {
        int light = (luma.get(luma.at(x, y)) * 19_077) >> 8;
        int to = 3 * (y * width + x);
        rgb[to] = clamp(light + ((v * 26_149) >> 8) - 14_234);
        rgb[to + 1] = clamp(light - ((u * 6_419) >> 8) - ((v * 13_320) >> 8) + 8_708);
        rgb[to + 2] = clamp(light + ((u * 33_050) >> 8) - 17_685);
    }

    private static byte clamp(int value) {
        return (byte) Math.max(0, Math.min(255, value >> 6));
    }
}
