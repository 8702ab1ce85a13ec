package io.github.gramian.io.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Writes files into a tar archive (POSIX ustar; an extended header where a name needs one). Owner, time and rights are always
 * the same, so that equal files in equal order are equal archives.
 */
public final class TarWriter implements AutoCloseable {

    private static final int SHORT_NAME = 100;

    private final OutputStream out;

    public TarWriter(OutputStream out) {
        this.out = out;
    }

    /** Adds a file. */
    public void add(String name, byte[] content) throws IOException {
        byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
        if (encoded.length == 0) {
            throw new IllegalArgumentException("a file in a shard needs a name");
        }
        if (encoded.length > SHORT_NAME) {
            byte[] record = paxRecord(encoded);
            header("pax-header".getBytes(StandardCharsets.UTF_8), record.length, 'x');
            body(record);
        }
        header(Arrays.copyOf(encoded, Math.min(encoded.length, SHORT_NAME)), content.length, '0');
        body(content);
    }

    /** Ends the archive: two blocks of zeros. */
    @Override
    public void close() throws IOException {
        try (out) {
            out.write(new byte[2 * TarHeader.BLOCK]);
        }
    }

    private void header(byte[] name, long size, char type) throws IOException {
        byte[] block = new byte[TarHeader.BLOCK];
        System.arraycopy(name, 0, block, 0, name.length);
        put(block, 100, "0000644");
        put(block, 108, "0000000");
        put(block, 116, "0000000");
        put(block, 124, String.format(Locale.ROOT, "%011o", size));
        put(block, 136, "00000000000");
        block[156] = (byte) type;
        put(block, 257, "ustar");
        put(block, 263, "00");
        put(block, 148, String.format(Locale.ROOT, "%06o", TarHeader.sum(block)));
        block[155] = ' ';
        out.write(block);
    }

    private void body(byte[] content) throws IOException {
        out.write(content);
        int rest = content.length % TarHeader.BLOCK;
        if (rest > 0) {
            out.write(new byte[TarHeader.BLOCK - rest]);
        }
    }

    /** The record {@code length path=name\n}, whose length counts its own digits. */
    private static byte[] paxRecord(byte[] name) {
        int bare = " path=".length() + name.length + 1;
        int length = bare + Integer.toString(bare).length();
        if (Integer.toString(length).length() > Integer.toString(bare).length()) {
            length++;
        }
        byte[] start = (length + " path=").getBytes(StandardCharsets.UTF_8);
        byte[] record = Arrays.copyOf(start, length);
        System.arraycopy(name, 0, record, start.length, name.length);
        record[length - 1] = '\n';
        return record;
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
