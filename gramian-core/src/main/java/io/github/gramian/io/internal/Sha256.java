package io.github.gramian.io.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of whatever is fed to it, piece by piece. Not for several threads at once. */
public final class Sha256 implements WritableByteChannel {

    private final MessageDigest digest;

    public Sha256() {
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Of a string in UTF-8, as 64 lower-case hexadecimal digits. */
    public static String of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Of an array, as 64 lower-case hexadecimal digits. */
    public static String of(byte[] bytes) {
        Sha256 sum = new Sha256();
        sum.write(ByteBuffer.wrap(bytes));
        return sum.hex();
    }

    public Sha256 add(Path file) throws IOException {
        byte[] piece = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                digest.update(piece, 0, read);
            }
        }
        return this;
    }

    /** Feeds the rest of a buffer. */
    @Override
    public int write(ByteBuffer bytes) {
        int length = bytes.remaining();
        digest.update(bytes);
        return length;
    }

    /** The sum as 64 lower-case hexadecimal digits; starts again. */
    public String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}
