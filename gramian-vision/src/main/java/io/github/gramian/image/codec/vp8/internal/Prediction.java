package io.github.gramian.image.codec.vp8.internal;

/** Guesses a block from the samples above and to the left of it, which are not yet smoothed. */
final class Prediction {

    static final int DC = 0;
    static final int VERTICAL = 1;
    static final int HORIZONTAL = 2;
    static final int TRUE_MOTION = 3;
    /** Each 4×4 block of luma has its own mode. */
    static final int BY_BLOCKS = 4;

    /** The 4×4 modes of the same direction, which neighbours of a whole macroblock take for its blocks' modes. */
    static final int[] AS_BLOCK_MODE = {0, 2, 3, 1};

    /** Samples around a 4×4 block: 0–3 left from below, 4 corner, 5–8 above, 9–12 above right. */
    private final int[] e = new int[13];

    /** A whole macroblock of luma (16) or chroma (8). Without a side, its mean is left out. */
    static void whole(Plane plane, int at, int size, int mode, boolean hasAbove, boolean hasLeft) {
        int stride = plane.stride;
        int corner = plane.get(at - stride - 1);
        int mean = mode == DC ? mean(plane, at, size, hasAbove, hasLeft) : 0;
        for (int y = 0; y < size; y++) {
            int row = at + y * stride;
            int left = plane.get(row - 1);
            for (int x = 0; x < size; x++) {
                int above = plane.get(at - stride + x);
                plane.set(
                        row + x,
                        switch (mode) {
                            case DC -> mean;
                            case VERTICAL -> above;
                            case HORIZONTAL -> left;
                            default -> left + above - corner;
                        });
            }
        }
    }

    private static int mean(Plane plane, int at, int size, boolean hasAbove, boolean hasLeft) {
        int sum = 0;
        for (int i = 0; i < size; i++) {
            sum += hasAbove ? plane.get(at - plane.stride + i) : 0;
            sum += hasLeft ? plane.get(at - 1 + i * plane.stride) : 0;
        }
        int count = (hasAbove ? size : 0) + (hasLeft ? size : 0);
        return count == 0 ? 128 : (sum + count / 2) / count;
    }

    /** A 4×4 block of luma. The samples above and to the right of it are given, for they may lie elsewhere. */
    void block(Plane plane, int at, int mode, int[] aboveRight) {
        int stride = plane.stride;
        for (int i = 0; i < 4; i++) {
            e[3 - i] = plane.get(at - 1 + i * stride);
            e[5 + i] = plane.get(at - stride + i);
            e[9 + i] = aboveRight[i];
        }
        e[4] = plane.get(at - stride - 1);
        for (int y = 0; y < 4; y++) {
            for (int x = 0; x < 4; x++) {
                plane.set(at + y * stride + x, sample(mode, x, y));
            }
        }
    }

    private int sample(int mode, int x, int y) {
        return switch (mode) {
            case 0 -> (e[0] + e[1] + e[2] + e[3] + e[5] + e[6] + e[7] + e[8] + 4) >> 3;
            case 1 -> e[3 - y] + e[5 + x] - e[4];
            case 2 -> smooth(5 + x);
            case 3 -> y == 3 ? (e[1] + 3 * e[0] + 2) >> 2 : smooth(3 - y);
            case 4 -> x + y == 6 ? (e[11] + 3 * e[12] + 2) >> 2 : smooth(6 + x + y);
            case 5 -> smooth(4 + x - y);
            case 6 -> verticalRight(x, y);
            case 7 -> verticalLeft(x, y);
            case 8 -> horizontalDown(x, y);
            default -> horizontalUp(x + 2 * y);
        };
    }

    private int verticalRight(int x, int y) {
        int steps = 2 * x - y;
        if (steps < 0) {
            return smooth(5 + steps);
        }
        int i = 4 + x - y / 2;
        return steps % 2 == 0 ? between(i, i + 1) : smooth(i);
    }

    private int verticalLeft(int x, int y) {
        if (x == 3 && y >= 2) {
            return y == 2 ? smooth(10) : smooth(11);
        }
        int i = 5 + x + y / 2;
        return y % 2 == 0 ? between(i, i + 1) : smooth(i + 1);
    }

    private int horizontalDown(int x, int y) {
        int steps = 2 * y - x;
        if (steps < 0) {
            return smooth(3 - steps);
        }
        int i = 4 - y + x / 2;
        return steps % 2 == 0 ? between(i - 1, i) : smooth(i);
    }

    private int horizontalUp(int steps) {
        if (steps > 5) {
            return e[0];
        }
        int i = 3 - steps / 2;
        if (steps == 5) {
            return (e[1] + 3 * e[0] + 2) >> 2;
        }
        return steps % 2 == 0 ? between(i, i - 1) : smooth(i - 1);
    }

    private int between(int i, int j) {
        return (e[i] + e[j] + 1) >> 1;
    }

    private int smooth(int i) {
        return (e[i - 1] + 2 * e[i] + e[i + 1] + 2) >> 2;
    }
}
