package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Refusal;
import java.nio.charset.StandardCharsets;

/** A place in untrusted bytes. Running over the end is a {@link Refusal}, never an exception of the JDK. */
final class ByteCursor {

    private final byte[] bytes;
    private final int end;
    private final boolean littleEndian;
    private int at;

    private ByteCursor(byte[] bytes, int from, int end, boolean littleEndian) {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
        this.littleEndian = littleEndian;
    }

    static ByteCursor bigEndian(byte[] bytes, int from) {
        return new ByteCursor(bytes, from, bytes.length, false);
    }

    static ByteCursor littleEndian(byte[] bytes, int from) {
        return new ByteCursor(bytes, from, bytes.length, true);
    }

    int position() {
        return at;
    }

    int remaining() {
        return end - at;
    }

    /** Moves to an absolute position, at most the end. */
    void seek(long position) throws Refusal {
        if (position < 0 || position > end) {
            throw Refusal.truncated("byte " + position + " of " + end + " is missing");
        }
        at = (int) position;
    }

    void skip(long count) throws Refusal {
        if (count < 0 || count > remaining()) {
            throw Refusal.truncated("the file ends " + (count - remaining()) + " bytes too early");
        }
        at += (int) count;
    }

    int u8() throws Refusal {
        skip(1);
        return bytes[at - 1] & 0xFF;
    }

    int u16() throws Refusal {
        int first = u8();
        int second = u8();
        return littleEndian ? (second << 8) | first : (first << 8) | second;
    }

    int u24() throws Refusal {
        int first = u8();
        int rest = u16();
        return littleEndian ? (rest << 8) | first : (first << 16) | rest;
    }

    long u32() throws Refusal {
        long first = u16();
        long second = u16();
        return littleEndian ? (second << 16) | first : (first << 16) | second;
    }

    int i32() throws Refusal {
        return (int) u32();
    }

    /** Four letters, as chunks are named. */
    String name() throws Refusal {
        skip(4);
        return new String(bytes, at - 4, 4, StandardCharsets.ISO_8859_1);
    }

    /** Whether these letters stand at a place of the array; false where the array is too short. */
    static boolean startsWith(byte[] bytes, int from, String letters) {
        if (from < 0 || from + letters.length() > bytes.length) {
            return false;
        }
        for (int i = 0; i < letters.length(); i++) {
            if ((bytes[from + i] & 0xFF) != letters.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
