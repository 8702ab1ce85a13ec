package io.github.gramian.onnx.graph.internal;

import io.github.gramian.io.internal.Checksum;
import io.github.gramian.io.internal.ProtobufMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The last entry of an exported file's metadata: a CRC-32C of all bytes before it, preceded by those of the file of tensors if
 * there is one. ONNX itself has no checksums, so a flipped bit in a weight would go unnoticed.
 */
public final class OnnxSeal {

    /** Upper bound of the size of the entry. */
    static final long MAX_BYTES = 64;

    private static final String KEY = "gramian.crc32c";
    private static final String ALONE = "file:";
    private static final String WITH_DATA = "both:";

    private OnnxSeal() {}

    /** The entry of a file with this checksum. */
    static ProtobufMessage entry(Checksum sum, boolean withData) {
        return new ProtobufMessage().message(14, OnnxFile.pair(KEY, (withData ? WITH_DATA : ALONE) + sum.hex()));
    }

    private static byte[] bytes(Checksum sum, boolean withData) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        entry(sum, withData).writeTo(Channels.newChannel(bytes));
        return bytes.toByteArray();
    }

    /** Whether a file, or its file of tensors, is not as it was written. Files of other programs have no such entry. */
    public static boolean isBroken(Path file) throws IOException {
        byte[] alone = bytes(new Checksum(), false);
        byte[] withData = bytes(new Checksum(), true);
        try (FileChannel channel = FileChannel.open(file)) {
            long end = channel.size() - alone.length;
            if (end < 0) {
                return false;
            }
            byte[] found = new byte[alone.length];
            ByteBuffer target = ByteBuffer.wrap(found);
            while (target.hasRemaining() && channel.read(target, end + target.position()) >= 0) {
                // until all is read
            }
            Checksum sum = new Checksum();
            if (isLike(found, withData)) {
                try (FileChannel data = FileChannel.open(OnnxFile.dataOf(file))) {
                    sum.add(data, 0, data.size());
                }
            } else if (!isLike(found, alone)) {
                return false;
            }
            String digits =
                    new String(found, found.length - Checksum.DIGITS, Checksum.DIGITS, StandardCharsets.US_ASCII);
            return !sum.add(channel, 0, end).hex().equals(digits);
        }
    }

    /** Equal but for the digits. */
    private static boolean isLike(byte[] found, byte[] entry) {
        int length = entry.length - Checksum.DIGITS;
        return Arrays.equals(found, 0, length, entry, 0, length);
    }
}
