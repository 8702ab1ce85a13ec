package io.github.gramian.tensor.safetensors.internal;

import io.github.gramian.io.internal.Checksum;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * The checksum of a safetensors file in its own metadata: CRC-32C over every byte of the file, with zeros in place of its
 * eight digits. The digits are written last, so that a file is sealed in the one pass that writes it.
 */
final class Seal {

    /** The metadata's key. */
    static final String KEY = "crc32c";

    /** The placeholder until the checksum is known. */
    static final String OPEN = "0".repeat(Checksum.DIGITS);

    // A quote inside a name or a value is escaped, so that nothing but the key itself looks like this.
    private static final byte[] MARK = ("\"" + KEY + "\":\"").getBytes(StandardCharsets.UTF_8);

    private Seal() {}

    /** Where in the header the digits begin. */
    static OptionalInt place(byte[] header) {
        for (int at = 0; at + MARK.length + Checksum.DIGITS <= header.length; at++) {
            if (Arrays.equals(header, at, at + MARK.length, MARK, 0, MARK.length)) {
                return OptionalInt.of(at + MARK.length);
            }
        }
        return OptionalInt.empty();
    }

    /** Whether a file matches its checksum; false for one without. */
    static boolean holds(FileChannel file, int prefix, int headerBytes) throws IOException {
        byte[] header = new byte[headerBytes];
        file.map(FileChannel.MapMode.READ_ONLY, prefix, headerBytes).get(header);
        OptionalInt place = place(header);
        if (place.isEmpty()) {
            return false;
        }
        int from = place.getAsInt();
        String digits = new String(header, from, Checksum.DIGITS, StandardCharsets.US_ASCII);
        Arrays.fill(header, from, from + Checksum.DIGITS, (byte) '0');
        Checksum sum = new Checksum().add(file, 0, prefix);
        sum.write(ByteBuffer.wrap(header));
        return sum.add(file, (long) prefix + headerBytes, file.size()).hex().equals(digits);
    }
}
