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

    private static final int MODE_AT = 100;
    private static final int OWNER_AT = 108;
    private static final int GROUP_AT = 116;
    private static final int TIME_AT = 136;
    private static final int VERSION_AT = 263;

    private final OutputStream out;

    public TarWriter(OutputStream out) {
        this.out = out;
    }

    public void add(String name, byte[] content) throws IOException {
        byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
        if (encoded.length == 0) {
            throw new IllegalArgumentException("a file in a tar archive needs a name");
        }
        if (encoded.length > TarReader.Header.NAME) {
            byte[] record = paxRecord(encoded);
            header("pax-header".getBytes(StandardCharsets.UTF_8), record.length, 'x');
            body(record);
        }
        header(Arrays.copyOf(encoded, Math.min(encoded.length, TarReader.Header.NAME)), content.length, '0');
        body(content);
    }

    /** Ends the archive: two blocks of zeros. */
    @Override
    public void close() throws IOException {
        try (out) {
            out.write(new byte[2 * TarReader.Header.BLOCK]);
        }
    }

    private void header(byte[] name, long size, char type) throws IOException {
        byte[] block = new byte[TarReader.Header.BLOCK];
        System.arraycopy(name, 0, block, 0, name.length);
        put(block, MODE_AT, "0000644");
        put(block, OWNER_AT, "0000000");
        put(block, GROUP_AT, "0000000");
        put(block, TarReader.Header.SIZE_AT, String.format(Locale.ROOT, "%011o", size));
        put(block, TIME_AT, "00000000000");
        block[TarReader.Header.TYPE_AT] = (byte) type;
        put(block, TarReader.Header.MAGIC_AT, "ustar");
        put(block, VERSION_AT, "00");
        put(block, TarReader.Header.SUM_AT, String.format(Locale.ROOT, "%06o\0 ", TarReader.Header.sum(block)));
        out.write(block);
    }

    private void body(byte[] content) throws IOException {
        out.write(content);
        int rest = content.length % TarReader.Header.BLOCK;
        if (rest > 0) {
            out.write(new byte[TarReader.Header.BLOCK - rest]);
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

    private static void put(byte[] block, int at, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
