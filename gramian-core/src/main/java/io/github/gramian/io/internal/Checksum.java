package io.github.gramian.io.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * CRC-32C of whatever is fed to it, piece by piece. Processors have an instruction for it, so that it costs little more than
 * reading (some GB a second, where SHA-256 without its own instructions takes ten times as long or more): for every file
 * that is read back. It finds damage, every flipped bit among it; it does not protect against tampering. Not for several
 * threads at once.
 */
public final class Checksum implements WritableByteChannel {

    /** The digits of a sum in a file. */
    public static final int DIGITS = 8;

    private final CRC32C crc = new CRC32C();

    /** Of a string in UTF-8, in 8 hexadecimal digits. */
    public static String of(String text) {
        Checksum sum = new Checksum();
        sum.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        return sum.hex();
    }

    /** Feeds the rest of a buffer. */
    @Override
    public int write(ByteBuffer bytes) {
        int length = bytes.remaining();
        crc.update(bytes);
        return length;
    }

    /** Feeds the bytes of a file from one position up to another. */
    public Checksum add(FileChannel file, long from, long to) throws IOException {
        FilePart.copy(file, from, to, this);
        return this;
    }

    /** A channel that hands on what it is given and feeds it here; closing it closes nothing. */
    public WritableByteChannel along(WritableByteChannel channel) {
        return new Along(channel, this);
    }

    private record Along(WritableByteChannel channel, Checksum sum) implements WritableByteChannel {

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            ByteBuffer whole = bytes.duplicate();
            int written = channel.write(bytes);
            sum.write(whole.limit(whole.position() + written));
            return written;
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() {}
    }

    public long value() {
        return crc.getValue();
    }

    /** The sum so far in 8 lower-case hexadecimal digits. */
    public String hex() {
        return HexFormat.of().toHexDigits(crc.getValue(), DIGITS);
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
