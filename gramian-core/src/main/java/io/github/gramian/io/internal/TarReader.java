package io.github.gramian.io.internal;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The members of a tar archive (POSIX ustar with extended headers, and GNU's dialect), read from front to end. A name is only
 * a name, and no number of the archive makes this allocate more than the caller allows.
 */
public final class TarReader implements Closeable {

    private static final int LONGEST_HEADER = 1 << 16;
    private static final int LONGEST_NAME = 4096;
    private static final int PIECE = 1 << 16;

    private final InputStream in;
    private final long maxBytes;
    private long at;
    private long unread;
    private long padding;

    /**
     * Reads from a stream, which it closes in the end.
     *
     * @param maxBytes of the whole archive; a longer one is rejected
     */
    public TarReader(InputStream in, long maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /**
     * The next member; what was not read of the one before is passed over.
     *
     * @return the member; null at the end
     * @throws TarException if the archive is broken
     */
    public @Nullable TarEntry next() throws IOException {
        pass();
        String longName = null;
        long longSize = -1;
        while (true) {
            byte[] block = block();
            if (block == null || TarHeader.isEnd(block)) {
                return null;
            }
            TarHeader header = TarHeader.parse(block, at - TarHeader.BLOCK);
            switch (header.type()) {
                case 'L' -> longName = name(trimmed(extended(header.size())));
                case 'x' -> {
                    PaxHeader pax = PaxHeader.parse(extended(header.size()), at);
                    longName = pax.path() == null ? longName : name(pax.path());
                    longSize = pax.size() < 0 ? longSize : pax.size();
                }
                case 'g' -> extended(header.size());
                default -> {
                    enter(longSize < 0 ? header.size() : longSize);
                    return new TarEntry(name(longName == null ? header.name() : longName), unread, header.isFile());
                }
            }
        }
    }

    /**
     * The content of the member that {@link #next} gave, once.
     *
     * @param most bytes that may be read
     */
    public byte[] content(int most) throws IOException {
        if (unread > most) {
            throw new TarException("byte " + at + ": a member of " + unread + " bytes, more than " + most);
        }
        // Reads in pieces: an archive that is cut off costs what it has, not what it promises.
        byte[] content = in.readNBytes((int) unread);
        at += content.length;
        if (content.length < unread) {
            throw cutOff();
        }
        unread = 0;
        pass();
        return content;
    }

    /** Copies the content of the member that {@link #next} gave, once. */
    public void copyTo(OutputStream out) throws IOException {
        byte[] piece = new byte[PIECE];
        while (unread > 0) {
            int read = in.read(piece, 0, (int) Math.min(piece.length, unread));
            if (read < 0) {
                throw cutOff();
            }
            out.write(piece, 0, read);
            at += read;
            unread -= read;
        }
        pass();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** From here on, this number of bytes is a content, and zeros fill its last block. */
    private void enter(long size) throws TarException {
        if (size < 0 || size > Long.MAX_VALUE - TarHeader.BLOCK) {
            throw new TarException("byte " + at + ": a member of " + size + " bytes");
        }
        padding = (TarHeader.BLOCK - size % TarHeader.BLOCK) % TarHeader.BLOCK;
        if (size + padding > maxBytes - at) {
            throw new TarException("byte " + at + ": the archive unpacks to more than " + maxBytes + " bytes");
        }
        unread = size;
    }

    /** Passes over what is left of a content and the zeros after it. */
    private void pass() throws IOException {
        try {
            in.skipNBytes(unread + padding);
        } catch (EOFException e) {
            throw cutOff();
        }
        at += unread + padding;
        unread = 0;
        padding = 0;
    }

    private byte[] extended(long size) throws IOException {
        if (size > LONGEST_HEADER) {
            throw new TarException("byte " + at + ": an extended tar header of " + size + " bytes");
        }
        enter(size);
        return content(LONGEST_HEADER);
    }

    /** The next 512 bytes; null at the end, which some writers do not mark. */
    private byte @Nullable [] block() throws IOException {
        byte[] block = in.readNBytes(TarHeader.BLOCK);
        at += block.length;
        if (block.length == 0) {
            return null;
        }
        if (block.length < TarHeader.BLOCK) {
            throw cutOff();
        }
        return block;
    }

    private TarException cutOff() {
        return new TarException("the archive is cut off after byte " + at);
    }

    private static String trimmed(byte[] content) {
        int end = content.length;
        while (end > 0 && content[end - 1] == 0) {
            end--;
        }
        return new String(content, 0, end, StandardCharsets.UTF_8);
    }

    private String name(String name) throws TarException {
        if (name.isEmpty() || name.length() > LONGEST_NAME || name.indexOf('\0') >= 0) {
            throw new TarException(
                    "byte " + at + ": a name that is empty, longer than " + LONGEST_NAME + ", or contains a zero");
        }
        return name;
    }
}
