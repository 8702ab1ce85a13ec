package io.github.gramian.image.codec.vp8.internal;

import java.io.EOFException;

/** The arithmetic decoder of VP8: bits, each with the probability (out of 256) that it is zero. */
final class BoolDecoder {

    /** The coder looks ahead a little; more than this beyond the end, and data is missing. */
    private static final int MOST_OVERRUN = 8;

    private final byte[] bytes;
    private final int end;
    private int at;
    private int overrun;
    private int range = 255;
    private int value;
    private int shifted;

    BoolDecoder(byte[] bytes, int start, int end) throws EOFException {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
        value = nextByte() << 8;
        value |= nextByte();
    }

    int bit(int probability) throws EOFException {
        int split = 1 + (((range - 1) * probability) >> 8);
        int wide = split << 8;
        int bit;
        if (value >= wide) {
            range -= split;
            value -= wide;
            bit = 1;
        } else {
            range = split;
            bit = 0;
        }
        while (range < 128) {
            range <<= 1;
            value <<= 1;
            if (++shifted == 8) {
                shifted = 0;
                value |= nextByte();
            }
        }
        return bit;
    }

    boolean flag() throws EOFException {
        return bit(128) == 1;
    }

    int unsigned(int bits) throws EOFException {
        int result = 0;
        for (int i = 0; i < bits; i++) {
            result = 2 * result + bit(128);
        }
        return result;
    }

    /** Magnitude and then sign. */
    int signed(int bits) throws EOFException {
        int magnitude = unsigned(bits);
        return flag() ? -magnitude : magnitude;
    }

    /** A signed number if a flag says that there is one, otherwise 0. */
    int optional(int bits) throws EOFException {
        return flag() ? signed(bits) : 0;
    }

    /** Walks a tree whose node pair i has its probability at offset + i / 2. */
    int tree(int[] tree, int[] probabilities, int offset) throws EOFException {
        int node = 0;
        do {
            node = tree[node + bit(probabilities[offset + node / 2])];
        } while (node > 0);
        return -node;
    }

    private int nextByte() throws EOFException {
        if (at < end) {
            return bytes[at++] & 0xFF;
        }
        if (++overrun > MOST_OVERRUN) {
            throw new EOFException("a partition of the frame ends too early");
        }
        return 0;
    }
}
