package io.github.gramian.image.codec.vp8.internal;

import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;

/** A canonical prefix code of up to 15 bits: short codes by a table of 8 bits, longer ones bit by bit. */
final class PrefixCode {

    private static final int LONGEST = 15;
    private static final int TABLE_BITS = 8;
    private static final int[] LENGTH_ORDER = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

    /** Symbols by length and then by value; those of one length start at first[length]. */
    private final short[] symbols;

    private final int[] first = new int[LONGEST + 2];
    private final int tableBits;

    /** Length in the upper 16 bits, symbol in the lower; 0 where the code is longer than the table. */
    private final int[] table;

    private PrefixCode(int[] lengths) throws IOException {
        int[] counts = new int[LONGEST + 1];
        int longest = 0;
        for (int length : lengths) {
            counts[length]++;
            longest = Math.max(longest, length);
        }
        counts[0] = 0;
        int used = Arrays.stream(counts).sum();
        if (used == 0) {
            throw new IOException("a prefix code without symbols");
        }
        long room = 0;
        for (int length = 1; length <= LONGEST; length++) {
            first[length + 1] = first[length] + counts[length];
            room += (long) counts[length] << (LONGEST - length);
        }
        if (used > 1 && room != 1 << LONGEST) {
            throw new IOException("a prefix code that is not complete");
        }
        symbols = new short[used];
        int[] next = first.clone();
        for (int symbol = 0; symbol < lengths.length; symbol++) {
            if (lengths[symbol] > 0) {
                symbols[next[lengths[symbol]]++] = (short) symbol;
            }
        }
        tableBits = used == 1 ? 0 : Math.min(TABLE_BITS, longest);
        table = used == 1 ? new int[0] : fill();
    }

    /** Reads the code itself: either one or two symbols, or the length of every symbol's code. */
    static PrefixCode read(LosslessBits bits, int alphabet) throws IOException {
        int[] lengths = new int[alphabet];
        if (bits.flag()) {
            boolean two = bits.flag();
            int symbol = bits.read(bits.flag() ? 8 : 1);
            lengths[checked(symbol, alphabet)] = 1;
            if (two) {
                lengths[checked(bits.read(8), alphabet)] = 1;
            }
            return new PrefixCode(lengths);
        }
        int[] lengthLengths = new int[LENGTH_ORDER.length];
        int count = 4 + bits.read(4);
        for (int i = 0; i < count; i++) {
            lengthLengths[LENGTH_ORDER[i]] = bits.read(3);
        }
        readLengths(bits, new PrefixCode(lengthLengths), lengths);
        return new PrefixCode(lengths);
    }

    private static void readLengths(LosslessBits bits, PrefixCode code, int[] lengths) throws IOException {
        int tokens = lengths.length;
        if (bits.flag()) {
            tokens = 2 + bits.read(2 + 2 * bits.read(3));
        }
        int previous = 8;
        int symbol = 0;
        for (int token = 0; token < tokens && symbol < lengths.length; token++) {
            int length = code.next(bits);
            if (length < 16) {
                lengths[symbol++] = length;
                previous = length == 0 ? previous : length;
                continue;
            }
            int repeat = length == 16 ? 3 + bits.read(2) : length == 17 ? 3 + bits.read(3) : 11 + bits.read(7);
            if (symbol + repeat > lengths.length) {
                throw new IOException("more lengths than symbols");
            }
            Arrays.fill(lengths, symbol, symbol + repeat, length == 16 ? previous : 0);
            symbol += repeat;
        }
    }

    int next(LosslessBits bits) throws EOFException {
        if (table.length == 0) {
            return symbols[0]; // the only symbol takes no bit
        }
        int ahead = bits.peek();
        int entry = table[ahead & (table.length - 1)];
        if (entry != 0) {
            bits.take(entry >> 16);
            return entry & 0xFFFF;
        }
        int code = 0;
        int start = 0;
        for (int length = 1; length <= LONGEST; length++) {
            code = 2 * code + ((ahead >> (length - 1)) & 1);
            int count = first[length + 1] - first[length];
            if (code - start < count) {
                bits.take(length);
                return symbols[first[length] + code - start];
            }
            start = 2 * (start + count);
        }
        throw new EOFException("no symbol has this code"); // not reached: the code is complete
    }

    private int[] fill() {
        int[] entries = new int[1 << tableBits];
        int code = 0;
        for (int length = 1; length <= tableBits; length++) {
            for (int i = first[length]; i < first[length + 1]; i++, code++) {
                int reversed = Integer.reverse(code) >>> (32 - length);
                for (int at = reversed; at < entries.length; at += 1 << length) {
                    entries[at] = (length << 16) | symbols[i];
                }
            }
            code *= 2;
        }
        return entries;
    }

    private static int checked(int symbol, int alphabet) throws IOException {
        if (symbol >= alphabet) {
            throw new IOException("symbol " + symbol + " of " + alphabet);
        }
        return symbol;
    }
}
