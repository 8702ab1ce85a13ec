package io.github.gramian.cli.doctor;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The output of the POSIX command {@code cksum} for a file: a CRC of 32 bits and the number of bytes. */
public final class PosixSum {

    private static final int POLYNOMIAL = 0x04C11DB7;

    private PosixSum() {}

    /** As {@code cksum < file} prints it. */
    public static String of(Path file) throws IOException {
        int[] table = table();
        int crc = 0;
        long bytes = 0;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            for (int next = in.read(); next >= 0; next = in.read()) {
                crc = step(table, crc, next);
                bytes++;
            }
        }
        for (long left = bytes; left != 0; left >>>= 8) { // the length counts as content, its lowest byte first
            crc = step(table, crc, (int) left & 0xff);
        }
        return Integer.toUnsignedString(~crc) + " " + bytes;
    }

    private static int step(int[] table, int crc, int next) {
        return crc << 8 ^ table[crc >>> 24 ^ next];
    }

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int value = i << 24;
            for (int bit = 0; bit < 8; bit++) {
                value = value < 0 ? value << 1 ^ POLYNOMIAL : value << 1;
            }
            table[i] = value;
        }
        return table;
    }
}
