package io.github.gramian.image.codec.vp8.internal;

/**
 * A step that made pixels easier to code, and how it is undone. Pixels are alpha, red, green, blue in one int.
 *
 * @param blockBits log₂ of the side of the blocks that share an entry of the data; of a palette, of the pixels packed
 *     into one
 * @param width of the pixels once the step is undone
 */
record LosslessTransform(Kind kind, int blockBits, int width, Pixels data) {

    enum Kind {
        PREDICT,
        CROSS_COLOUR,
        SUBTRACT_GREEN,
        PALETTE;

        /** By its number in the file, 0 to 3. */
        static Kind of(int number) {
            return switch (number) {
                case 0 -> PREDICT;
                case 1 -> CROSS_COLOUR;
                case 2 -> SUBTRACT_GREEN;
                default -> PALETTE;
            };
        }
    }

    /** A little image of parameters. */
    static final class Pixels {
        final int width;
        final int[] argb;

        Pixels(int width, int[] argb) {
            this.width = width;
            this.argb = argb;
        }
    }

    int[] undo(int[] argb, int height) {
        switch (kind) {
            case PREDICT -> unpredict(argb, height);
            case CROSS_COLOUR -> uncross(argb);
            case SUBTRACT_GREEN -> addGreen(argb);
            case PALETTE -> {
                return unpack(argb, height);
            }
        }
        return argb;
    }

    private int parameter(int x, int y) {
        return data.argb[(y >> blockBits) * data.width + (x >> blockBits)];
    }

    private void unpredict(int[] p, int height) {
        p[0] = sum(p[0], 0xFF000000);
        for (int x = 1; x < width; x++) {
            p[x] = sum(p[x], p[x - 1]);
        }
        for (int y = 1, i = width; y < height; y++) {
            p[i] = sum(p[i], p[i - width]);
            i++;
            for (int x = 1; x < width; x++, i++) {
                int mode = (parameter(x, y) >> 8) & 15;
                p[i] = sum(p[i], guess(mode, p[i - 1], p[i - width], p[i - width + 1], p[i - width - 1]));
            }
        }
    }

    private static int guess(int mode, int left, int above, int aboveRight, int corner) {
        return switch (mode) {
            case 1 -> left;
            case 2 -> above;
            case 3 -> aboveRight;
            case 4 -> corner;
            case 5 -> mean(mean(left, aboveRight), above);
            case 6 -> mean(left, corner);
            case 7 -> mean(left, above);
            case 8 -> mean(corner, above);
            case 9 -> mean(above, aboveRight);
            case 10 -> mean(mean(left, corner), mean(above, aboveRight));
            case 11 -> distance(above, corner) < distance(left, corner) ? left : above;
            case 12 -> extrapolate(left, above, corner);
            case 13 -> overshoot(mean(left, above), corner);
            default -> 0xFF000000;
        };
    }

    private void uncross(int[] p) {
        for (int i = 0; i < p.length; i++) {
            int factors = parameter(i % width, i / width);
            int green = (byte) (p[i] >> 8);
            int red = ((p[i] >> 16) + (((byte) factors * green) >> 5)) & 0xFF;
            int blue = p[i] + (((byte) (factors >> 8) * green) >> 5) + (((byte) (factors >> 16) * (byte) red) >> 5);
            p[i] = (p[i] & 0xFF00FF00) | (red << 16) | (blue & 0xFF);
        }
    }

    private static void addGreen(int[] p) {
        for (int i = 0; i < p.length; i++) {
            int green = (p[i] >> 8) & 0xFF;
            p[i] = sum(p[i], (green << 16) | green);
        }
    }

    private int[] unpack(int[] packed, int height) {
        int packedWidth = packed.length / height;
        int bits = 8 >> blockBits;
        int[] p = new int[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int green = (packed[y * packedWidth + (x >> blockBits)] >> 8) & 0xFF;
                int index = (green >> (bits * (x & ((1 << blockBits) - 1)))) & ((1 << bits) - 1);
                p[y * width + x] = index < data.argb.length ? data.argb[index] : 0;
            }
        }
        return p;
    }

    /** The sum of each channel, without carries between them. */
    static int sum(int a, int b) {
        return (((a & 0xFF00FF00) + (b & 0xFF00FF00)) & 0xFF00FF00)
                | (((a & 0x00FF00FF) + (b & 0x00FF00FF)) & 0x00FF00FF);
    }

    private static int mean(int a, int b) {
        return (((a ^ b) & 0xFEFEFEFE) >>> 1) + (a & b);
    }

    private static int distance(int a, int b) {
        int sum = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            sum += Math.abs(((a >> shift) & 0xFF) - ((b >> shift) & 0xFF));
        }
        return sum;
    }

    private static int extrapolate(int left, int above, int corner) {
        int result = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            int value = ((left >> shift) & 0xFF) + ((above >> shift) & 0xFF) - ((corner >> shift) & 0xFF);
            result |= Math.max(0, Math.min(255, value)) << shift;
        }
        return result;
    }

    private static int overshoot(int mean, int corner) {
        int result = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            int value = (mean >> shift) & 0xFF;
            value += (value - ((corner >> shift) & 0xFF)) / 2;
            result |= Math.max(0, Math.min(255, value)) << shift;
        }
        return result;
    }
}
