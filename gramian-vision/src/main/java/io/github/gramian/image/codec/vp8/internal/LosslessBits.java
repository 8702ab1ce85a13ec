package io.github.gramian.image.codec.vp8.internal;

import java.io.EOFException;

/** Bits from the lowest on. Asking for more than there are is an {@link EOFException}. */
final class LosslessBits {

    private final byte[] bytes;
    private final int end;
    private int at;
    private long pending;
    private int count;

    LosslessBits(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
    }

    /** Up to 16 bits, without taking them; zeros stand for what is beyond the end. */
    int peek() {
        while (count < 16 && at < end) {
            pending |= (bytes[at++] & 0xFFL) << count;
            count += 8;
        }
        return (int) pending & 0xFFFF;
    }

    void take(int bits) throws EOFException {
        if (bits > count) {
            throw new EOFException("the frame ends too early");
        }
        pending >>>= bits;
        count -= bits;
    }

    /** A number of up to 16 bits. */
    int read(int bits) throws EOFException {
        int value = peek() & ((1 << bits) - 1);
        take(bits);
        return value;
    }

    boolean flag() throws EOFException {
        return read(1) == 1;
    }
}
