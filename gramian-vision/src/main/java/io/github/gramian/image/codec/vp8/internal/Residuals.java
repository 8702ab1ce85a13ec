package io.github.gramian.image.codec.vp8.internal;

import java.io.EOFException;
import java.util.Arrays;

/**
 * What prediction misses: the coefficients of a macroblock's 25 blocks (16 luma, 4 + 4 chroma, and one of the luma
 * blocks' constant parts), read, scaled by the quantiser, and transformed back.
 */
final class Residuals {

    private static final int LUMA_WITHOUT_CONSTANT = 0;
    private static final int CONSTANTS = 1;
    private static final int CHROMA = 2;
    private static final int LUMA = 3;

    private final int[] probabilities = Tables.TOKENS.clone();

    /** Whether the blocks above and to the left had coefficients: 4 luma, 2 + 2 chroma, 1 of constants. */
    private final boolean[][] above;

    private final boolean[] left = new boolean[9];

    /** 24 blocks of 16: the macroblock in work. */
    private final int[] coefficients = new int[24 * 16];

    /** Whether a block of the macroblock in work has anything to add. */
    private final boolean[] filled = new boolean[24];

    private final int[] constants = new int[16];
    private final int[] columns = new int[16];

    Residuals(int columnsOfMacroblocks) {
        above = new boolean[columnsOfMacroblocks][9];
    }

    void readProbabilities(BoolDecoder header) throws EOFException {
        for (int i = 0; i < probabilities.length; i++) {
            if (header.bit(Tables.TOKEN_UPDATES[i]) == 1) {
                probabilities[i] = header.unsigned(8);
            }
        }
    }

    void startRow() {
        Arrays.fill(left, false);
    }

    /** A macroblock without coefficients; whole-block prediction also resets the context of the constants. */
    void skip(int column, boolean hasConstants) {
        boolean keepAbove = above[column][8];
        boolean keepLeft = left[8];
        Arrays.fill(above[column], false);
        Arrays.fill(left, false);
        Arrays.fill(filled, false);
        above[column][8] = !hasConstants && keepAbove;
        left[8] = !hasConstants && keepLeft;
    }

    /** Reads a macroblock; says whether any block has something to add to its prediction. */
    boolean read(BoolDecoder bits, int column, boolean hasConstants, Quantiser q) throws EOFException {
        Arrays.fill(coefficients, 0);
        boolean[] top = above[column];
        int first = 0;
        int type = LUMA;
        if (hasConstants) {
            Arrays.fill(constants, 0);
            int context = (top[8] ? 1 : 0) + (left[8] ? 1 : 0);
            int end = block(bits, CONSTANTS, context, 0, q.constantDc(), q.constantAc(), constants, 0);
            top[8] = end > 0;
            left[8] = end > 0;
            spreadConstants();
            first = 1;
            type = LUMA_WITHOUT_CONSTANT;
        }
        boolean any = false;
        for (int i = 0; i < 16; i++) {
            any |= contextual(bits, type, i, i % 4, i / 4, first, q.lumaDc(), q.lumaAc(), top);
        }
        for (int i = 16; i < 24; i++) {
            int side = i < 20 ? 4 : 6;
            any |= contextual(bits, CHROMA, i, side + i % 2, side + i % 4 / 2, 0, q.chromaDc(), q.chromaAc(), top);
        }
        return any;
    }

    private boolean contextual(
            BoolDecoder bits, int type, int block, int x, int y, int first, int dc, int ac, boolean[] top)
            throws EOFException {
        int context = (top[x] ? 1 : 0) + (left[y] ? 1 : 0);
        int end = block(bits, type, context, first, dc, ac, coefficients, 16 * block);
        top[x] = end > first;
        left[y] = end > first;
        filled[block] = end > 1 || coefficients[16 * block] != 0;
        return filled[block];
    }

    /** Reads the tokens of one block; returns the place after its last coefficient. */
    private int block(BoolDecoder bits, int type, int context, int first, int dc, int ac, int[] to, int offset)
            throws EOFException {
        int n = first;
        int p = at(type, n, context);
        while (n < 16) {
            if (bits.bit(probabilities[p]) == 0) {
                return n;
            }
            while (bits.bit(probabilities[p + 1]) == 0) {
                if (++n == 16) {
                    return 16;
                }
                p = at(type, n, 0);
            }
            int magnitude = 1;
            int next = 1;
            if (bits.bit(probabilities[p + 2]) == 1) {
                magnitude = large(bits, p);
                next = 2;
            }
            to[offset + Tables.ZIGZAG[n]] = (bits.flag() ? -magnitude : magnitude) * (n > 0 ? ac : dc);
            n++;
            p = at(type, n, next);
        }
        return 16;
    }

    private int large(BoolDecoder bits, int p) throws EOFException {
        if (bits.bit(probabilities[p + 3]) == 0) {
            return bits.bit(probabilities[p + 4]) == 0 ? 2 : 3 + bits.bit(probabilities[p + 5]);
        }
        if (bits.bit(probabilities[p + 6]) == 0) {
            if (bits.bit(probabilities[p + 7]) == 0) {
                return 5 + bits.bit(159);
            }
            int high = bits.bit(165);
            return 7 + 2 * high + bits.bit(145);
        }
        int high = bits.bit(probabilities[p + 8]);
        int category = 2 * high + bits.bit(probabilities[p + 9 + high]);
        int extra = 0;
        for (int probability : Tables.LARGE[category]) {
            extra = 2 * extra + bits.bit(probability);
        }
        return 3 + (8 << category) + extra;
    }

    private static int at(int type, int coefficient, int context) {
        return 11 * (3 * (8 * type + Tables.BANDS[coefficient]) + context);
    }

    /** The inverse Walsh–Hadamard transform: the constant coefficient of each luma block. */
    private void spreadConstants() {
        for (int i = 0; i < 4; i++) {
            int a = constants[i] + constants[12 + i];
            int b = constants[4 + i] + constants[8 + i];
            int c = constants[4 + i] - constants[8 + i];
            int d = constants[i] - constants[12 + i];
            columns[i] = a + b;
            columns[4 + i] = d + c;
            columns[8 + i] = a - b;
            columns[12 + i] = d - c;
        }
        for (int i = 0; i < 4; i++) {
            int a = columns[4 * i] + 3 + columns[4 * i + 3];
            int b = columns[4 * i + 1] + columns[4 * i + 2];
            int c = columns[4 * i + 1] - columns[4 * i + 2];
            int d = columns[4 * i] + 3 - columns[4 * i + 3];
            coefficients[64 * i] = (a + b) >> 3;
            coefficients[64 * i + 16] = (d + c) >> 3;
            coefficients[64 * i + 32] = (a - b) >> 3;
            coefficients[64 * i + 48] = (d - c) >> 3;
        }
    }

    /** Adds one of the 24 blocks, by the inverse cosine transform, to its prediction. */
    void add(int block, Plane plane, int at) {
        if (!filled[block]) {
            return;
        }
        int in = 16 * block;
        for (int i = 0; i < 4; i++) {
            int a = coefficients[in + i] + coefficients[in + 8 + i];
            int b = coefficients[in + i] - coefficients[in + 8 + i];
            int c = sine(coefficients[in + 4 + i]) - cosine(coefficients[in + 12 + i]);
            int d = cosine(coefficients[in + 4 + i]) + sine(coefficients[in + 12 + i]);
            columns[4 * i] = a + d;
            columns[4 * i + 1] = b + c;
            columns[4 * i + 2] = b - c;
            columns[4 * i + 3] = a - d;
        }
        for (int i = 0; i < 4; i++) {
            int a = columns[i] + 4 + columns[8 + i];
            int b = columns[i] + 4 - columns[8 + i];
            int c = sine(columns[4 + i]) - cosine(columns[12 + i]);
            int d = cosine(columns[4 + i]) + sine(columns[12 + i]);
            int to = at + i * plane.stride;
            plane.set(to, plane.get(to) + ((a + d) >> 3));
            plane.set(to + 1, plane.get(to + 1) + ((b + c) >> 3));
            plane.set(to + 2, plane.get(to + 2) + ((b - c) >> 3));
            plane.set(to + 3, plane.get(to + 3) + ((a - d) >> 3));
        }
    }

    private static int cosine(int value) {
        return ((value * 20_091) >> 16) + value;
    }

    private static int sine(int value) {
        return (value * 35_468) >> 16;
    }
}
