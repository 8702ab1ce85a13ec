package io.github.gramian.io.internal;

import java.nio.charset.StandardCharsets;

/**
 * The block of 512 bytes before a file in a tar archive (POSIX ustar and its GNU dialect).
 *
 * @param name of the file
 * @param size of its content in bytes
 * @param type as the format numbers them: '0' or 0 for files, '5' folders, 'x' and 'g' extended headers, 'L' GNU's long name
 */
record TarHeader(String name, long size, char type) {

    static final int BLOCK = 512;

    /** Bytes of a name that fit into the header; a longer one is in an extended header. */
    static final int NAME = 100;

    static final int SIZE_AT = 124;
    private static final int SIZE_LENGTH = 12;
    static final int SUM_AT = 148;
    private static final int SUM_LENGTH = 8;
    static final int TYPE_AT = 156;
    static final int MAGIC_AT = 257;
    private static final int PREFIX_AT = 345;
    private static final int PREFIX_LENGTH = 155;

    /** Whether a block is all zeros: the end of the archive. */
    static boolean isEnd(byte[] block) {
        for (byte value : block) {
            if (value != 0) {
                return false;
            }
        }
        return true;
    }

    /** Reads a block, after verifying its checksum; at is its position in the archive, for messages. */
    static TarHeader parse(byte[] block, long at) throws TarException {
        long written = number(block, SUM_AT, SUM_LENGTH, at);
        if (written != sum(block)) {
            throw new TarException("byte " + at + ": an invalid header, its checksum does not match");
        }
        long size = number(block, SIZE_AT, SIZE_LENGTH, at);
        String name = string(block, 0, NAME);
        boolean posix = string(block, MAGIC_AT, 6).equals("ustar") && block[MAGIC_AT + 5] == 0;
        String prefix = posix ? string(block, PREFIX_AT, PREFIX_LENGTH) : "";
        return new TarHeader(prefix.isEmpty() ? name : prefix + "/" + name, size, (char) (block[TYPE_AT] & 0xFF));
    }

    boolean isFile() {
        return type == '0' || type == 0 || type == '7';
    }

    /** The sum of all bytes, those of the sum itself taken as spaces. */
    static long sum(byte[] block) {
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= SUM_AT && i < SUM_AT + SUM_LENGTH ? ' ' : block[i] & 0xFF;
        }
        return sum;
    }

    /** Octal digits, or (GNU) a big-endian number marked by the highest bit. */
    private static long number(byte[] block, int from, int length, long at) throws TarException {
        if ((block[from] & 0x80) != 0) {
            return binary(block, from, length, at);
        }
        long value = 0;
        boolean digits = false;
        for (int i = from; i < from + length; i++) {
            int c = block[i];
            if (c >= '0' && c <= '7') {
                value = value * 8 + (c - '0');
                digits = true;
            } else if (c == ' ' || c == 0) {
                if (digits) {
                    break;
                }
            } else {
                throw new TarException("byte " + at + ": a number in the tar header is not octal");
            }
        }
        return value;
    }

    private static long binary(byte[] block, int from, int length, long at) throws TarException {
        long value = block[from] & 0x7F;
        for (int i = from + 1; i < from + length; i++) {
            if (value > Long.MAX_VALUE >> 8) {
                throw new TarException("byte " + at + ": a number in the tar header is too large");
            }
            value = value << 8 | (block[i] & 0xFF);
        }
        return value;
    }

    private static String string(byte[] block, int from, int length) {
        int end = from;
        while (end < from + length && block[end] != 0) {
            end++;
        }
        return new String(block, from, end - from, StandardCharsets.UTF_8);
    }
}
